/** `judge <path…>`: recomputes verdicts from stored traces alone, with no Worker running. */
import { join } from "node:path";
import type { Command } from "commander";
import { declaredConditions } from "../../experiments/registry.ts";
import type { InvariantName } from "../../src/reconcile/invariants.ts";
import { MachineError } from "../base/machine-error.ts";
import { printable } from "../base/printable.ts";
import { quoted } from "../base/quoted.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { jsonResult } from "../present/json-result.ts";
import { pageFor } from "../present/page.ts";
import { reportOfRun } from "../present/reporters/report-of-run.ts";
import { renderResult } from "../present/result-text.ts";
import { whoRuns } from "../run/run-lock.ts";
import { openNamed } from "../stored/find-trace.ts";
import { type JudgedRun, judgeStored, writeVerdicts } from "../stored/judge-run.ts";
import { exitCodeOf, worstOf } from "../stored/outcome.ts";
import type { StoredTraces } from "../stored/stored-traces.ts";
import { VERDICTS_FILE } from "../stored/trace-names.ts";
import { NAMED, requireOption, tracesOption } from "./options.ts";
import { type AskedReporter, replacesText, reporterOption, writeReports } from "./reporters.ts";
import type { Terminal } from "./terminal.ts";

type JudgeOptions = {
  readonly json?: true;
  readonly out?: string;
  readonly write?: true;
  readonly require?: readonly InvariantName[];
  readonly reporter?: readonly AskedReporter[];
  readonly traces: string;
};

export function registerJudge(program: Command, terminal: Terminal): void {
  program
    .command("judge")
    .description(
      "compute the verdicts of stored traces again; a run's own folder keeps them, nothing else is written unasked",
    )
    .argument("<path...>", NAMED)
    .option("--out <file>", "write the verdicts here")
    .option("--write", `write a run's verdicts into its folder (${VERDICTS_FILE})`)
    .addOption(requireOption())
    .addOption(reporterOption())
    .option("--json", "print one JSON object per path instead of the table")
    .addOption(tracesOption())
    .action((paths: string[], options: JudgeOptions) => judgeAll(paths, options, terminal));
}

async function judgeAll(paths: readonly string[], options: JudgeOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  if (options.out !== undefined && paths.length > 1)
    throw new UserError("--out takes the verdicts of one path; give one path at a time");
  const reporters = options.reporter ?? [];
  const replaced = replacesText(reporters, options.json === true);
  // All of them first: a mistake in the last path should not come after half of the output.
  const judged: { readonly stored: StoredTraces; readonly run: JudgedRun; readonly isLive: boolean }[] = [];
  for (const named of paths) {
    const stored = await openNamed(named, options.traces);
    // Asked before its traces are read: one that ends meanwhile was not whole either.
    const runner = stored.isOne || stored.isPacked ? null : whoRuns(stored.folder, shownPath(stored.folder));
    if (runner !== null)
      stderr.write(`${runner}: it is live, and what is there so far is judged and not kept\n`);
    judged.push({ stored, run: judgeStored(stored, options.require ?? []), isLive: runner !== null });
  }
  const runs = judged.map(({ run }) => run);
  for (const { stored, run, isLive } of judged) {
    const { path, isOne: isTrace } = stored;
    if (isTrace && options.write === true)
      throw new UserError(
        `'${path}' is one trace: --write is for the folder of a run; name a file with --out`,
      );
    if (stored.isPacked && options.write === true)
      throw new UserError(`'${path}' is packed, and nothing is written into it: name a file with --out`);
    const asked = options.out ?? (options.write === true ? join(path, VERDICTS_FILE) : null);
    // A set of traces that no plan belongs to is somebody's evidence, and left as it is. A live run writes its own verdicts at
    // its end, and these, which lack trials, might come after them.
    const own = !isTrace && !stored.isPacked && run.planned && !isLive ? join(path, VERDICTS_FILE) : null;
    const next = isTrace
      ? `Trace: ${shownPath(path)} · the whole run: npm run judge -- ${shownPath(run.folder)}`
      : [`Traces: ${shownPath(path)}`, ...againCommand(run)].join(" · ");
    const exitCode = exitCodeOf(run);
    const declared = declaredConditions(run.experiment);
    if (replaced) stderr.write(`${next}\n`);
    else if (options.json === true) {
      stdout.write(`${jsonResult(run, exitCode, declared)}\n`);
      stderr.write(`${next}\n`);
    } else {
      stdout.write(`${renderResult(run, { exitCode, declared, page: pageFor(stdout) })}\n${next}\n`);
    }
    // What was asked for is shown before anything is written, and shown also where nothing can be.
    if (asked !== null) await writeVerdicts(asked, run.trials);
    else if (own !== null) await keepVerdicts(own, run, stderr);
  }
  await writeReports(
    reporters,
    runs.map((run) => reportOfRun(run, exitCodeOf(run))),
    terminal,
  );
  exit(worstOf(runs.map(exitCodeOf)));
}

/** In a folder that cannot be written to, the verdicts are shown and not kept. */
async function keepVerdicts(out: string, run: JudgedRun, stderr: Terminal["stderr"]): Promise<void> {
  try {
    await writeVerdicts(out, run.trials);
  } catch (error) {
    if (!(error instanceof UserError || error instanceof MachineError)) throw error;
    stderr.write(`The verdicts were not kept: ${printable(error.message)}\n`);
  }
}

/** The command with which the run was started; none for a set of traces that no one run gave. */
function againCommand({ commandLine, planned }: JudgedRun): string[] {
  if (!planned || commandLine.length === 0) return [];
  // The run's name is taken: another run needs one of its own.
  const at = commandLine.indexOf("--run-id");
  const own = commandLine.filter((_, index) => at === -1 || (index !== at && index !== at + 1));
  return [`run again: npm run kit -- ${own.map(quoted).join(" ")}`];
}
