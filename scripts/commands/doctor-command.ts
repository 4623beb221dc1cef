/** `doctor`: checks what a run needs and says what to do. Leaves the checks to scripts/checks/doctor. */
import type { Command } from "commander";
import type { CheckResult } from "../checks/doctor/check-result.ts";
import { type Paint, paintFor } from "../present/paint.ts";
import { EXIT } from "../stored/outcome.ts";
import { setCalled } from "./sets.ts";
import type { Terminal } from "./terminal.ts";

export function registerDoctor(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("check what a run needs on this machine, and say what to do")
    .option("--set <name>", "check this SDK set too (docs/upgrades.md)")
    .option("--json", "print one JSON object")
    .action(async ({ json, set: name }: { json?: true; set?: string }) => {
      const set = name === undefined ? undefined : setCalled(name, "--set");
      // Loaded here: a machine on which a package is missing should still see the help.
      const { runChecks } = await import("../checks/doctor/machine-checks.ts");
      const checks = await runChecks(set);
      const failed = checks.some(({ status }) => status === "fail");
      const exitCode = failed ? EXIT.kitFailed : EXIT.asExpected;
      const text =
        json === true
          ? JSON.stringify({ checks, exitCode })
          : renderChecks(checks, paintFor(terminal.stdout));
      terminal.stdout.write(`${text}\n`);
      terminal.exit(exitCode);
    });
}

const TONES = { ok: "green", warn: "yellow", fail: "red" } as const;

/** Not laid out by text-table.ts, which would break the commands in an advice. */
function renderChecks(checks: readonly CheckResult[], paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const count = (wanted: CheckResult["status"]) => checks.filter(({ status }) => status === wanted).length;
  return [
    ...checks.flatMap(({ name, status, found, advice }) => [
      `${paint(TONES[status], status.padEnd(4))}  ${name.padEnd(width)}  ${found}`,
      ...(advice === null ? [] : [`${" ".repeat(width + 8)}${advice}`]),
    ]),
    "",
    count("fail") > 0
      ? `${count("fail")} of ${checks.length} checks failed: a run would not work here.`
      : "Ready. Next: npm run matrix",
  ].join("\n");
}
