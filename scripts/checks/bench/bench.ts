/**
 * `npm run bench`: figures about the kit itself. How fast it judges, what it adds to a trial, how much memory it takes.
 * Nothing here is asserted anywhere: the figures are the machine's as much as the kit's, so they come with its facts.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Corpus, findCorpus, tracesIn, writeCopies } from "./corpus.ts";
import { measurePeak } from "./memory.ts";
import { measureOverhead } from "./overhead.ts";
import { measureStages, measureThroughput } from "./throughput.ts";

// A reader that closes early (`| head`) has read what it wanted.
process.stdout.on("error", () => process.exit());
const { values } = parseArgs({
  options: {
    run: { type: "string" },
    records: { type: "string", default: "200000" },
    trials: { type: "string", default: "299" },
  },
});
const [wanted, trials] = [Number(values.records), Number(values.trials)];
if (!(wanted > 0) || !(trials > 0)) {
  console.error("--records and --trials take a number above 0");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "recovery-kit-bench-"));
// However it ends.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await bench(findCorpus(values.run ?? null));

async function bench(corpus: Corpus): Promise<void> {
  const [cpu] = cpus();
  print(
    "machine",
    `${availableParallelism()} × ${cpu?.model ?? "unknown"}, ${gigabytes(totalmem())} GB, ${process.platform}-${process.arch}, node ${process.versions.node}`,
  );
  print(
    "load",
    `${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")} (1, 5, 15 minutes): above 0, others share the cores`,
  );
  print("command", ["npm run bench", ...process.argv.slice(2)].join(" "));
  print("corpus", corpus.origin);

  title("judging a large corpus from disk, once, one core");
  const large = place("large");
  const perCopy = recordsPerTrace(corpus);
  const { records, bytes } = writeCopies(corpus, large, Math.ceil(wanted / perCopy));
  const through = measureThroughput(tracesIn(large), records);
  print(
    "records",
    `${count(records)} in ${count(through.traces)} traces, ${Math.round(bytes / records)} bytes each on average`,
  );
  print(
    "throughput",
    `${count(through.recordsPerSecond)} records/s, ${(bytes / 1e6 / through.seconds).toFixed(0)} MB/s; ${count(records / through.cpuSeconds)} records per second of processor time`,
  );
  const tenths = through.recordsPerSecondByTenth;
  print(
    "by tenths",
    `slowest ${count(Math.min(...tenths))}, fastest ${count(Math.max(...tenths))} records/s`,
  );
  print("memory", `${through.residentMb.join(" ")} MB after each tenth`);
  if (through.invalid > 0) print("invalid", `${through.invalid} traces, as in the corpus`);

  const sample = place("sample");
  writeCopies(corpus, sample, Math.max(corpus.texts.length, 20));
  title("time per record, best of 15 rounds, one core");
  const stages = measureStages(tracesIn(sample));
  const yardstick = stages[0]?.microseconds ?? Number.NaN;
  for (const { stage, microseconds } of stages)
    print(
      stage,
      `${microseconds.toFixed(2)} µs = ${(microseconds / yardstick).toFixed(1)} × JSON.parse = ${count(1e6 / microseconds)} records/s`,
    );

  title("what the kit adds to a trial: quiet, settle and the drawn delay left out");
  for (const { of, ms } of measureOverhead(tracesIn(values.run ?? sample)))
    print(of, `p50 ${seconds(ms.p50)} s, p99 ${seconds(ms.p99)} s (${ms.observed} completed trials)`);

  title(`the CLI's own memory, ${trials} trials`);
  const many = place("many");
  writeCopies(corpus, many, trials);
  for (const command of ["judge", "summary"]) {
    const peak = await measurePeak([command, many], `npm run kit -- ${command} <${trials} traces>`);
    print(command, `peak ${peak.peakMb.toFixed(0)} MB, ${peak.seconds.toFixed(1)} s`);
  }
}

function place(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function recordsPerTrace({ texts }: Corpus): number {
  const lines = texts.reduce((sum, text) => sum + text.trimEnd().split("\n").length - 1, 0);
  return lines / texts.length;
}

function title(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

function print(name: string, value: string): void {
  process.stdout.write(`  ${name.padEnd(28)}${value}\n`);
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
