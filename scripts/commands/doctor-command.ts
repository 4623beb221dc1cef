/** `doctor`: checks what a run needs and says what to do. Leaves the checks to scripts/doctor. */
import type { Command } from "commander";
import type { CheckResult } from "../checks/doctor/machine-checks.ts";
import { type Page, pageFor } from "../present/page.ts";
import { renderTextTable } from "../present/text-table.ts";
import { EXIT } from "../stored/outcome.ts";
import type { Terminal } from "./terminal.ts";

export function registerDoctor(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("check what a run needs on this machine, and say what to do")
    .option("--json", "print one JSON object")
    .action(async ({ json }: { json?: true }) => {
      // Loaded here: a machine on which a package is missing should still see the help.
      const { runChecks } = await import("../checks/doctor/machine-checks.ts");
      const checks = await runChecks();
      const failed = checks.some(({ status }) => status === "fail");
      const exitCode = failed ? EXIT.kitFailed : EXIT.asExpected;
      const text =
        json === true ? JSON.stringify({ checks, exitCode }) : renderChecks(checks, pageFor(terminal.stdout));
      terminal.stdout.write(`${text}\n`);
      terminal.exit(exitCode);
    });
}

const TONES = { ok: "green", warn: "yellow", fail: "red" } as const;

function renderChecks(checks: readonly CheckResult[], { paint, width }: Page): string {
  const count = (wanted: CheckResult["status"]) => checks.filter(({ status }) => status === wanted).length;
  const rows = checks.flatMap(({ name, status, found, advice }) => [
    [paint(TONES[status], status), name, found],
    ...(advice === null ? [] : [["", "", advice]]),
  ]);
  return [
    renderTextTable({ columns: [{ whole: true }, { whole: true }, {}], rows, width }),
    "",
    count("fail") > 0
      ? `${count("fail")} of ${checks.length} checks failed: a run would not work here.`
      : "Ready. Next: npm run matrix",
  ].join("\n");
}
