/** `doctor`: checks what a run needs and says what to do. Leaves the checks to scripts/checks/doctor. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { shownPath } from "../base/shown-path.ts";
import type { CheckResult } from "../checks/doctor/check-result.ts";
import { type Paint, paintFor } from "../present/paint.ts";
import { EXIT } from "../stored/outcome.ts";
import { setCalled } from "./sets.ts";
import type { Terminal } from "./terminal.ts";

export function registerDoctor(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("check what a run needs on this machine, and say what to do")
    .argument("[yours]", "your recovery.config.ts, or the folder of your Worker, to be checked too")
    .option("--set <name>", "check this SDK set too (docs/upgrades.md)")
    .option("--json", "print one JSON object")
    .action(async (yours: string | undefined, { json, set: name }: { json?: true; set?: string }) => {
      const set = name === undefined ? undefined : setCalled(name, "--set");
      // Loaded here: a machine on which a package is missing should still see the help.
      const { runChecks } = await import("../checks/doctor/machine-checks.ts");
      const { checkOwn } = await import("../checks/doctor/own-checks.ts");
      const own =
        (yours !== undefined && existsSync(join(yours, "recovery.config.ts"))
          ? join(yours, "recovery.config.ts")
          : yours) ?? (existsSync("recovery.config.ts") ? "recovery.config.ts" : undefined);
      const checks = [...(await runChecks(set)), ...(own === undefined ? [] : await checkOwn(own))];
      const failed = checks.some(({ status }) => status === "fail");
      const exitCode = failed ? EXIT.kitFailed : EXIT.asExpected;
      const text =
        json === true
          ? JSON.stringify({ checks, exitCode })
          : renderChecks(checks, own, paintFor(terminal.stdout));
      terminal.stdout.write(`${text}\n`);
      terminal.exit(exitCode);
    });
}

const TONES = { ok: "green", warn: "yellow", fail: "red" } as const;

/** Not laid out by text-table.ts, which would break the commands in an advice. */
function renderChecks(checks: readonly CheckResult[], own: string | undefined, paint: Paint): string {
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
      : `Ready. Next: ${own === undefined ? "npm run matrix" : `npm run kit -- run ${shownPath(resolve(own))} --dry-run`}`,
  ].join("\n");
}
