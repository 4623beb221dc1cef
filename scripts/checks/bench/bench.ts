/**
 * Figures about the kit itself: how fast it judges, what it adds to a trial, how much memory it takes, each beside its goal
 * where it has one. Nothing here is asserted anywhere: the figures are the machine's as much as the kit's, so they come
 * with its facts.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import type { BenchLine } from "./bench-lines.ts";
import { keepBusy } from "./busy.ts";
import { type Corpus, findCorpus, tracesIn, writeCopies } from "./corpus.ts";
import { compareWithGoal } from "./goals.ts";
import { type LiveRun, measureLiveRun } from "./live-run.ts";
import { measureMatrix } from "./matrix-run.ts";
import { measurePeak } from "./memory.ts";
import { measureOverhead } from "./overhead.ts";
import { measureStages, measureThroughput } from "./throughput.ts";

type BenchOptions = {
  /** The run whose traces are copied; the largest stored one where none is named. */
  readonly run?: string;
  /** Records in the large corpus, and trials whose judging is measured for memory. */
  readonly records: number;
  readonly trials: number;
  /** Numbers of real trials to run and measure, instead of everything else; none where it is left out. */
  readonly live?: readonly number[];
  /** Whether to run and measure the main experiment, instead of everything that is stored. */
  readonly matrix?: true;
  /** Other processes that keep the machine busy meanwhile. */
  readonly busy: number;
  /** How the user asked for it, for the record. */
  readonly commandLine: string;
};

/** Each line as soon as it is measured. */
export async function* bench(options: BenchOptions): AsyncGenerator<BenchLine> {
  // A mistake in the path is one sentence, before anything else is said.
  const isStored = options.live === undefined && options.matrix === undefined;
  const corpus = isStored ? findCorpus(options.run ?? null) : null;
  const folder = mkdtempSync(join(tmpdir(), "recovery-kit-bench-"));
  // However it ends.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [cpu] = cpus();
  yield figure(
    "machine",
    `${availableParallelism()} × ${cpu?.model ?? "unknown"}, ${gigabytes(totalmem())} GB, ${process.platform}-${process.arch}, node ${process.versions.node}`,
  );
  yield figure(
    "load",
    `${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")} (1, 5, 15 minutes): above 0, others share the cores`,
  );
  yield figure("command", options.commandLine);
  if (options.busy > 0) yield figure("beside it", `${options.busy} processes that never rest`);
  const rest = keepBusy(options.busy);
  try {
    if (corpus !== null) yield* benchStored(corpus, options, folder);
    yield* benchLive(options.live ?? [], folder);
    if (options.matrix === true) yield* benchMatrix(folder);
  } finally {
    rest();
  }
}

async function* benchLive(live: readonly number[], folder: string): AsyncGenerator<BenchLine> {
  for (const [index, trials] of live.entries()) {
    yield title(`${count(trials)} trials of one condition with abort, run now`);
    // The first began when the command did.
    const since = index === 0 ? performance.timeOrigin : Date.now();
    const run = await measureLiveRun(trials, place(folder, `live-${index}-${trials}`), since);
    const [whole] = run.overhead;
    const { steps, requests, transactions } = run.perTrial;
    yield goal("valid trials", (run.valid / trials) * 100, trials);
    yield goal("wall with start", run.wallWithStartSeconds, trials);
    if (index === 0) yield goal("first trial after", run.firstTrialSeconds, trials);
    yield goal("overhead p50", whole?.ms.p50 == null ? null : whole.ms.p50 / 1_000, trials);
    yield goal("processor time per trial", sumOf(run.cpuMsPerTrial), trials);
    yield goal("Workflow steps per trial", steps, trials);
    yield goal("ledger requests per trial", requests, trials);
    yield goal("peak of the command line", run.peakMb?.runner ?? null, trials);
    yield goal("peak of all processes", sumOf(run.peakMb), trials);
    yield figure(
      "wall of the trials alone",
      `${run.wallSeconds.toFixed(1)} s; load ${run.load.toFixed(1)} over the last minute`,
    );
    for (const { of, ms } of run.overhead)
      yield figure(
        `overhead, ${of}`,
        `p50 ${seconds(ms.p50)} s, p90 ${seconds(ms.p90)} s, max ${seconds(ms.max)} s`,
      );
    yield figure("ledger transactions", `${transactions.toFixed(1)} per trial`);
    yield figure("processor time", byProcess(run.cpuMsPerTrial, "ms"));
    yield figure("peak memory", byProcess(run.peakMb, "MB"));
  }
}

async function* benchMatrix(folder: string): AsyncGenerator<BenchLine> {
  yield title("the main experiment, as a command of its own");
  const run = await measureMatrix(place(folder, "matrix"));
  yield figure("trials", `${count(run.trials)}, exit code ${run.exitCode ?? "none"}`);
  yield goal("matrix, wall", run.seconds, null);
  yield goal("first trial after", run.firstTrialSeconds, null);
}

async function* benchStored(
  corpus: Corpus,
  options: BenchOptions,
  folder: string,
): AsyncGenerator<BenchLine> {
  yield figure("corpus", corpus.origin);

  yield title("judging a large corpus from disk, once, one core");
  const large = place(folder, "large");
  const perCopy = recordsPerTrace(corpus);
  const { records, bytes } = writeCopies(corpus, large, Math.ceil(options.records / perCopy));
  const through = measureThroughput(tracesIn(large), records);
  yield figure(
    "records",
    `${count(records)} in ${count(through.traces)} traces, ${Math.round(bytes / records)} bytes each on average`,
  );
  yield figure(
    "throughput",
    `${count(through.recordsPerSecond)} records/s, ${(bytes / 1e6 / through.seconds).toFixed(0)} MB/s; ${count(records / through.cpuSeconds)} records per second of processor time`,
  );
  yield goal("records judged per second", through.recordsPerSecond, null);
  const tenths = through.recordsPerSecondByTenth;
  yield figure(
    "by tenths",
    `slowest ${count(Math.min(...tenths))}, fastest ${count(Math.max(...tenths))} records/s`,
  );
  yield figure("memory", `${through.residentMb.join(" ")} MB after each tenth`);
  if (through.invalid > 0) yield figure("invalid", `${through.invalid} traces, as in the corpus`);

  const sample = place(folder, "sample");
  writeCopies(corpus, sample, Math.max(corpus.texts.length, 20));
  yield title("time per record, best of 15 rounds, one core");
  const stages = measureStages(tracesIn(sample));
  const yardstick = stages[0]?.microseconds ?? Number.NaN;
  for (const { stage, microseconds } of stages)
    yield figure(
      stage,
      `${microseconds.toFixed(2)} µs = ${(microseconds / yardstick).toFixed(1)} × JSON.parse = ${count(1e6 / microseconds)} records/s`,
    );

  yield title("what the kit adds to a trial: what it is meant to wait is left out");
  for (const { of, ms } of measureOverhead(tracesIn(options.run ?? sample)))
    yield figure(of, `p50 ${seconds(ms.p50)} s, p99 ${seconds(ms.p99)} s (${ms.observed} completed trials)`);

  yield title(`the CLI's own memory, ${options.trials} trials`);
  const many = place(folder, "many");
  writeCopies(corpus, many, options.trials);
  for (const command of ["judge", "summary"]) {
    const peak = await measurePeak([command, many], `npm run kit -- ${command} <${options.trials} traces>`);
    yield figure(command, `peak ${peak.peakMb.toFixed(0)} MB, ${peak.seconds.toFixed(1)} s`);
  }
}

function sumOf(costs: LiveRun["peakMb"]): number | null {
  return costs === null ? null : costs.runner + costs.lab + costs.subjects;
}

function byProcess(costs: LiveRun["peakMb"], unit: string): string {
  if (costs === null) return "this system does not tell";
  const { runner, lab, subjects } = costs;
  return `${(runner + lab + subjects).toFixed(0)} ${unit}: runner ${runner.toFixed(0)}, lab ${lab.toFixed(0)}, subjects ${subjects.toFixed(0)}`;
}

function place(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function recordsPerTrace({ texts }: Corpus): number {
  const lines = texts.reduce((sum, text) => sum + text.trimEnd().split("\n").length - 1, 0);
  return lines / texts.length;
}

function title(text: string): BenchLine {
  return { kind: "title", title: text };
}

function figure(name: string, value: string): BenchLine {
  return { kind: "figure", name, value };
}

function goal(...compared: Parameters<typeof compareWithGoal>): BenchLine {
  return { kind: "goal", ...compareWithGoal(...compared) };
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}

function seconds(ms: number | null): string {
  return ms === null ? "–" : (ms / 1_000).toFixed(2);
}
