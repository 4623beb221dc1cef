/** Carries out what a run command asks for, judges the whole folder and shows what it came to. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SdkSet } from "../../experiments/sdk-sets.ts";
import type { InvariantName } from "../../src/reconcile/invariants.ts";
import { summarize } from "../../src/summarize/index.ts";
import { shownPath } from "../base/shown-path.ts";
import type { OwnProject } from "../local/own/own-project.ts";
import { clearLeftovers } from "../local/process/leftovers.ts";
import { enterScratch } from "../local/process/scratch.ts";
import type { StorageOption } from "../local/storage-choice.ts";
import { choiceLines } from "../present/host-lines.ts";
import { jsonResult } from "../present/json-result.ts";
import { leftoversText } from "../present/leftovers-text.ts";
import { pageFor } from "../present/page.ts";
import { createProgress } from "../present/progress.ts";
import { reportOfRun } from "../present/reporters/report-of-run.ts";
import { renderResult } from "../present/result-text.ts";
import { storageText } from "../present/storage-text.ts";
import { renderSummary } from "../present/summary-text.ts";
import { answerTry } from "../present/try-answer.ts";
import { answerText, triedTrials } from "../present/try-answer-text.ts";
import type { ExecuteOptions, RunOutcome } from "../run/run-plan.ts";
import type { Runtime } from "../run/runtime.ts";
import { judgeFolder, writeVerdicts } from "../stored/judge-run.ts";
import { EXIT, exitCodeOf } from "../stored/outcome.ts";
import { VERDICTS_FILE } from "../stored/trace-names.ts";
import { type AskedReporter, replacesText, writeReports } from "./reporters.ts";
import type { AskedOwn, RunRequest } from "./run-request.ts";
import { stopSignal } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

/** How the trials of a run are carried out. */
type ExecutionOptions = {
  readonly concurrency: number;
  readonly port: number | null;
  readonly storage: StorageOption;
  /** Where the trials run, in place of processes of their own. */
  readonly on?: () => Promise<Runtime>;
  /** Stops the run as Ctrl-C does, and says why. */
  readonly limit?: AbortSignal;
};

type CarryOutOptions = ExecutionOptions & {
  readonly json: boolean;
  readonly require: readonly InvariantName[];
  readonly reporters: readonly AskedReporter[];
};

export async function carryOut(
  request: RunRequest,
  options: CarryOutOptions,
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  const { plan, folder, declared } = request;
  // What is no subject of the kit's has no OpenCode host that the kit would choose.
  const isOurs = request.own === null && request.commands === null;
  const chosen = isOurs ? choiceLines(request.host, pageFor(stderr)) : [];
  stderr.write(`${[...request.heading, ...chosen].join("\n")}\n`);
  const { cancelled, traces } =
    request.left.length === 0
      ? { cancelled: false, traces: [] }
      : await executeShown(request, options, terminal);
  if (cancelled && traces.length === 0 && request.resume === null) {
    stderr.write("Interrupted before anything was recorded.\n");
    exit(EXIT.interrupted);
    return;
  }
  const judged = await judgeFolder(folder, options.require);
  const exitCode = cancelled ? EXIT.interrupted : exitCodeOf(judged);
  const shown = shownPath(folder);
  const next =
    cancelled && options.on === undefined
      ? `finish it: npm run kit -- run --resume ${shown}`
      : `judge them again: npm run judge -- ${shown}`;
  const where = `Traces: ${shown} · ${next}`;
  if (replacesText(options.reporters, options.json)) stderr.write(`${where}\n`);
  else if (options.json) {
    stdout.write(`${jsonResult(judged, exitCode, declared)}\n`);
    stderr.write(`${where}\n`);
  } else {
    const page = pageFor(stdout);
    // Repeats are run for their counts: what those are worth belongs to the result.
    const repeated = plan.specs.some(({ repeat }) => repeat > 1);
    const counts = repeated ? `${renderSummary(summarize(judged), page)}\n\n` : "";
    const tried = request.commands === null ? "" : `${answerText(answerTry(triedTrials(judged)), page)}\n\n`;
    stdout.write(`${counts}${tried}${renderResult(judged, { exitCode, declared, page })}\n${where}\n`);
  }
  await writeReports(options.reporters, [reportOfRun(judged, exitCode)], terminal);
  // What it came to is shown also where it cannot be kept: it can be computed again.
  await writeVerdicts(join(folder, VERDICTS_FILE), judged.trials);
  exit(exitCode);
}

/** @throws UserError where her sources cannot be bundled. */
async function bundled({ config, definition, path }: AskedOwn, signal: AbortSignal): Promise<OwnProject> {
  // wrangler's folders are to go with this command.
  await enterScratch();
  const { bundleOwn } = await import("../local/own/own-project.ts");
  return await bundleOwn(config, definition, path, signal);
}

/** What commands left that were killed and could not see to it. */
async function clearAway(stderr: Terminal["stderr"]): Promise<void> {
  const cleared = await clearLeftovers(tmpdir());
  if (cleared.length > 0)
    stderr.write(`Cleared away what a killed command had left: ${leftoversText(cleared)}.\n`);
}

/** @param sets that the plan names and that are not declared. */
export async function executeShown(
  { plan, folder, resume, own: asked, commands }: RunRequest,
  { concurrency, port, storage, on, limit }: ExecutionOptions,
  { stderr }: Terminal,
  sets: readonly SdkSet[] = [],
): Promise<RunOutcome> {
  await clearAway(stderr);
  const stop = stopSignal(stderr);
  const progress = createProgress(stderr);
  try {
    // Loaded here: it brings the bundler and the local runtime, which no other command needs.
    const { executeRun } = await import("../run/execute.ts");
    const own = asked === null ? undefined : await bundled(asked, stop.signal);
    const chosen: ExecuteOptions = {
      tracesDir: folder,
      port,
      storage,
      concurrency,
      sets,
      signal: limit === undefined ? stop.signal : AbortSignal.any([stop.signal, limit]),
      onProgress: progress.show,
      onNote: progress.note,
      onStorage: (kept) => {
        if (kept !== null) progress.note(storageText(kept));
      },
      ...(resume === null ? {} : { resume }),
      ...(commands === null ? {} : { commands }),
      ...(on === undefined ? {} : { on }),
      ...(own === undefined ? {} : { own }),
    };
    if (own !== undefined) {
      const { rehearse } = await import("../run/own-rehearsal.ts");
      progress.note("Before the first trial: once through the work, without a loss.");
      await rehearse(plan, chosen);
      if (stop.signal.aborted) return { cancelled: true, traces: [] };
    }
    return await executeRun(plan, chosen);
  } finally {
    progress.stop();
    stop.release();
  }
}
