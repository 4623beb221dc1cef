/** `judge <path…>`: recomputes verdicts from stored traces alone, with no Worker running. */
import { join } from "node:path";
import type { Command } from "commander";
import { declaredConditions } from "../../experiments/registry.ts";
import { UserError } from "../base/user-error.ts";
import { shownPath } from "../present/attention.ts";
import { jsonResult } from "../present/json-result.ts";
import { pageFor } from "../present/page.ts";
import { renderResult } from "../present/result-text.ts";
import { type JudgedRun, judgePath, VERDICTS_FILE, writeVerdicts } from "../stored/judge-run.ts";
import { exitCodeOf, worstOf } from "../stored/outcome.ts";
import type { Terminal } from "./terminal.ts";

type JudgeOptions = { readonly json?: true; readonly out?: string };

export function registerJudge(program: Command, terminal: Terminal): void {
  program
    .command("judge")
    .description("compute the verdicts of stored traces again; a run's verdicts.jsonl is rewritten")
    .argument("<path...>", "a .jsonl trace, or the folder of a run")
    .option("--out <file>", "write the verdicts here; a single trace's are written nowhere else")
    .option("--json", "print one JSON object per path instead of the table")
    .action((paths: string[], options: JudgeOptions) => judgeAll(paths, options, terminal));
}

async function judgeAll(paths: readonly string[], options: JudgeOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  if (options.out !== undefined && paths.length > 1)
    throw new UserError("--out takes the verdicts of one path; give one path at a time");
  // All of them first: a mistake in the last path should not come after half of the output.
  const runs: JudgedRun[] = [];
  for (const path of paths) runs.push(await judgePath(path));
  for (const [index, run] of runs.entries()) {
    const path = paths[index] ?? "";
    const isTrace = path.endsWith(".jsonl");
    const out = options.out ?? (isTrace ? null : join(path, VERDICTS_FILE));
    if (out !== null) await writeVerdicts(out, run.trials);
    const next = isTrace
      ? `Trace: ${shownPath(path)} · the whole run: npm run judge -- ${shownPath(run.folder)}`
      : `Traces: ${shownPath(path)} · verdicts: ${shownPath(out ?? "")} · run again: ${againCommand(run)}`;
    const exitCode = exitCodeOf(run);
    if (options.json === true) {
      stdout.write(`${jsonResult(run, exitCode)}\n`);
      stderr.write(`${next}\n`);
    } else {
      const declared = declaredConditions(run.experiment);
      stdout.write(`${renderResult(run, { exitCode, declared, page: pageFor(stdout) })}\n${next}\n`);
    }
  }
  exit(worstOf(runs.map(exitCodeOf)));
}

function againCommand({ experiment, seed }: JudgedRun): string {
  return `npm run kit -- run ${experiment ?? "<experiment>"}${seed === null ? "" : ` --seed ${seed}`}`;
}
