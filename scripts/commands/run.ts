/** `run [experiment]`: plans, carries out and judges a run. Leaves each of these to its own module. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { conditionsOf } from "../../experiments/conditions.ts";
import { DEFAULT_EXPERIMENT, experimentNames, loadExperiment } from "../../experiments/registry.ts";
import type { Experiment } from "../../experiments/schema.ts";
import { summarize } from "../../src/summarize/index.ts";
import { RunId } from "../../src/trace/ids.ts";
import { TrialSpec } from "../../src/trace/spec.ts";
import { UserError } from "../errors.ts";
import { judgeFolder, VERDICTS_FILE, writeVerdicts } from "../judge/judge-run.ts";
import { EXIT, exitCodeOf } from "../judge/outcome.ts";
import { shownPath } from "../present/attention.ts";
import { coverageLines } from "../present/coverage.ts";
import { renderDryRun } from "../present/dry-run.ts";
import { choiceLines } from "../present/host.ts";
import { jsonResult } from "../present/json-result.ts";
import { paintFor } from "../present/paint.ts";
import { createProgress } from "../present/progress.ts";
import { renderResult } from "../present/result.ts";
import { renderSummary } from "../present/summary.ts";
import { makePlan } from "../run/make-plan.ts";
import type { RunPlan } from "../run/plan.ts";
import { selectionOf } from "../run/selection.ts";
import { chooseHost, type HostChoice, HostOption } from "../runtime/host.ts";
import { tracesOption, wholeNumber } from "./options.ts";
import { stopSignal } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

type RunOptions = {
  readonly host: HostOption;
  readonly repeats: number;
  readonly quietMs?: number;
  readonly settleMs?: number;
  readonly seed?: number;
  readonly concurrency: number;
  readonly load: number;
  readonly port?: number;
  readonly runId?: string;
  readonly only?: string;
  readonly condition?: readonly string[];
  readonly quick?: true;
  readonly traces: string;
  readonly dryRun?: true;
  readonly json?: true;
};

/** A day: longer is a typing mistake. */
const MS_MAX = 86_400_000;

export function registerRun(program: Command, terminal: Terminal): void {
  program
    .command("run")
    .description("carry out an experiment, store its traces and judge them")
    .addArgument(
      new Argument("[experiment]", "which experiment").choices(experimentNames()).default(DEFAULT_EXPERIMENT),
    )
    .addOption(
      new Option("--host <host>", "OpenCode host; auto takes the SDK when it is installed")
        .choices(HostOption.options)
        .default("auto"),
    )
    .option("--repeats <n>", "trials of each condition", wholeNumber(1, 1_000), 1)
    .option("--quiet-ms <ms>", "how long nothing touches the object after a reset", wholeNumber(0, MS_MAX))
    .option(
      "--settle-ms <ms>",
      "how long effects are counted after everything settled",
      wholeNumber(0, MS_MAX),
    )
    .option("--seed <n>", "repeats the order and the delays of an earlier run", wholeNumber(0, 2 ** 31 - 1))
    .option("--concurrency <n>", "most trials at once in one subject process", wholeNumber(1, 500), 500)
    .option(
      "--load <n>",
      "requests per second to other objects of the subjects' processes",
      wholeNumber(0, 1_000),
      0,
    )
    .option("--port <n>", "first local port, instead of free ones", wholeNumber(1_024, 65_000))
    .option("--run-id <id>", "name of the run and of its folder", runId)
    .option("--only <factor=level,…>", "keep the conditions that have these levels (canaries stay)")
    .addOption(
      new Option("--condition <name>", "keep this condition alone; may be given several times")
        .argParser((name, before: readonly string[] = []) => [...before, name])
        .conflicts(["only", "quick"]),
    )
    .option(
      "--quick",
      "a smoke run: of each block its first condition and those that are the first with some level, and the canaries",
    )
    .addOption(tracesOption())
    .option("--dry-run", "print what would be done and start nothing")
    .option("--json", "print one JSON object instead of the table")
    .action((name: string, options: RunOptions) => run(loadExperiment(name), options, terminal));
}

async function run(experiment: Experiment, options: RunOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  const host = chooseHost(options.host);
  const declared = conditionsOf(experiment);
  const plan = planOf(experiment, options, host, terminal);
  if (options.dryRun === true) {
    stdout.write(
      `${renderDryRun(plan, { host, declared, concurrency: options.concurrency, json: options.json === true })}\n`,
    );
    return;
  }
  const folder = join(options.traces, plan.run);
  await verifyUnused(folder);
  const heading = [
    `run ${plan.run} · ${plan.specs.length} trials · seed ${plan.seed}`,
    ...coverageLines(plan.specs, declared),
    ...choiceLines(host, paintFor(stderr)),
  ];
  stderr.write(`${heading.join("\n")}\n`);
  const stop = stopSignal(stderr);
  const progress = createProgress(stderr);
  // Loaded here: it brings the bundler and the local runtime, which no other command needs.
  const { executeRun } = await import("../run/execute.ts");
  const outcome = await executeRun(plan, {
    tracesDir: folder,
    port: options.port ?? null,
    concurrency: options.concurrency,
    signal: stop.signal,
    onProgress: progress.show,
    onNote: progress.note,
  }).finally(() => {
    progress.stop();
    stop.release();
  });
  if (outcome.cancelled && outcome.traces.length === 0) {
    stderr.write("Interrupted before anything was recorded.\n");
    exit(EXIT.interrupted);
    return;
  }
  const judged = await judgeFolder(folder);
  await writeVerdicts(join(folder, VERDICTS_FILE), judged.trials);
  const exitCode = outcome.cancelled ? EXIT.interrupted : exitCodeOf(judged);
  const where = `Traces: ${shownPath(folder)} · judge them again: npm run judge -- ${shownPath(folder)}`;
  if (options.json === true) {
    stdout.write(`${jsonResult(judged, exitCode)}\n`);
    stderr.write(`${where}\n`);
  } else {
    const paint = paintFor(stdout);
    // Repeats are run for their counts: what those are worth belongs to the result.
    const counts = options.repeats > 1 ? `${renderSummary(summarize(judged), paint)}\n\n` : "";
    stdout.write(`${counts}${renderResult(judged, { exitCode, declared, paint })}\n${where}\n`);
  }
  exit(exitCode);
}

function planOf(experiment: Experiment, options: RunOptions, host: HostChoice, terminal: Terminal): RunPlan {
  const conditions = conditionsOf(experiment);
  const plan = makePlan(experiment, {
    run: options.runId ?? defaultRunId(experiment.name, new Date()),
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    repeats: options.repeats,
    quietMs: options.quietMs ?? null,
    settleMs: options.settleMs ?? null,
    host: host.kind,
    loadPerSecond: options.load,
    only: selectionOf(options, conditions),
    commandLine: recordedArguments(terminal.argv),
  });
  for (const spec of plan.specs) TrialSpec.parse(spec);
  return plan;
}

/** Where the traces were put says nothing about the run and may name a folder of somebody's machine. */
function recordedArguments(argv: readonly string[]): string[] {
  const kept = argv.filter((text, index) => !text.startsWith("--traces") && argv[index - 1] !== "--traces");
  return ["recovery-kit", ...kept];
}

function runId(text: string): string {
  const parsed = RunId.safeParse(text);
  if (!parsed.success)
    throw new InvalidArgumentError(`${parsed.error.issues[0]?.message ?? "not a run id"}.`);
  return parsed.data;
}

/** For example `recovery-20261118-142530`, in UTC. */
function defaultRunId(experiment: string, now: Date): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  return `${experiment}-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}

/** A run never adds to the folder of another. */
async function verifyUnused(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new UserError(`there is already a run in '${shownPath(folder)}'; give another --run-id`);
}
