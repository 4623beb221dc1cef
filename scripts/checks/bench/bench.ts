/**
 * Figures about the kit itself: how fast it judges, what it adds to a trial, how much memory it takes. Nothing here is
 * asserted anywhere: the figures are the machine's as much as the kit's, so they come with its facts.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { type Corpus, findCorpus, tracesIn, writeCopies } from "./corpus.ts";
import { type LiveRun, measureLiveRun } from "./live-run.ts";
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
  /** How the user asked for it, for the record. */
  readonly commandLine: string;
};

/** Lines of text, each as soon as it is measured. */
export async function* bench(options: BenchOptions): AsyncGenerator<string> {
  // A mistake in the path is one sentence, before anything else is said.
  const corpus = options.live === undefined ? findCorpus(options.run ?? null) : null;
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
  if (corpus !== null) yield* benchStored(corpus, options, folder);
  else yield* benchLive(options.live ?? [], folder);
}

async function* benchLive(live: readonly number[], folder: string): AsyncGenerator<string> {
  for (const trials of live) {
    yield title(`${count(trials)} trials of one condition with abort, run now`);
    const run = await measureLiveRun(trials, place(folder, `live-${trials}`));
    yield figure("valid", `${count(run.valid)} of ${count(run.trials)}`);
    yield figure(
      "wall",
      `${run.wallSeconds.toFixed(1)} s without bundling and start; load ${run.load.toFixed(1)} over the last minute`,
    );
    for (const { of, ms } of run.overhead)
      yield figure(
        `overhead, ${of}`,
        `p50 ${seconds(ms.p50)} s, p90 ${seconds(ms.p90)} s, max ${seconds(ms.max)} s`,
      );
    const { steps, requests, transactions } = run.perTrial;
    yield figure(
      "work per trial",
      `${steps.toFixed(1)} Workflow steps, ${requests.toFixed(1)} ledger requests, ${transactions.toFixed(1)} ledger transactions`,
    );
    yield figure("processor time per trial", byProcess(run.cpuMsPerTrial, "ms"));
    yield figure("peak memory", byProcess(run.peakMb, "MB"));
  }
}

async function* benchStored(corpus: Corpus, options: BenchOptions, folder: string): AsyncGenerator<string> {
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

function title(text: string): string {
  return `
${text}`;
}

function figure(name: string, value: string): string {
  return `  ${name.padEnd(28)}${value}`;
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
