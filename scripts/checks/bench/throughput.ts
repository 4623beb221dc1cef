/**
 * How fast stored traces are judged: read from disk, chain checked, every record validated, verdict computed, on one
 * core. The time of bare `JSON.parse` over the same lines, measured in between, is the yardstick: it takes the
 * machine and whoever else uses it out of the comparison.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { judge } from "../../../src/reconcile/index.ts";
import { parseTrace } from "../../../src/trace/file.ts";
import { judgeTrace } from "../../stored/judge-trace.ts";

type Throughput = {
  readonly traces: number;
  readonly records: number;
  readonly seconds: number;
  /** Of this process, which works on one core; above `seconds` by what the runtime does beside it. */
  readonly cpuSeconds: number;
  readonly recordsPerSecond: number;
  readonly invalid: number;
  /** Of each tenth of the corpus by itself: how much the machine's other users take. */
  readonly recordsPerSecondByTenth: readonly number[];
  /** Resident memory in MB after each tenth of the corpus. */
  readonly residentMb: readonly number[];
};

export function measureThroughput(paths: readonly string[], records: number): Throughput {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  let invalid = 0;
  const residentMb: number[] = [];
  const recordsPerSecondByTenth: number[] = [];
  let since = start;
  const tenth = Math.max(1, Math.floor(paths.length / 10));
  paths.forEach((path, index) => {
    const { verdict } = judgeTrace(path);
    if (verdict.validity.value === "invalid") invalid += 1;
    if ((index + 1) % tenth !== 0) return;
    const now = performance.now();
    recordsPerSecondByTenth.push(((records / paths.length) * tenth * 1_000) / (now - since));
    residentMb.push(Math.round(process.memoryUsage.rss() / 1e6));
    since = now;
  });
  const seconds = (performance.now() - start) / 1_000;
  const used = process.cpuUsage(cpu);
  return {
    traces: paths.length,
    records,
    seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    recordsPerSecond: records / seconds,
    invalid,
    recordsPerSecondByTenth,
    residentMb,
  };
}

type Stage = { readonly stage: string; readonly microseconds: number };

/** Time per record of each stage, in the best of several rounds over the same traces in memory. */
export function measureStages(paths: readonly string[], rounds = 15): Stage[] {
  const sha256 = (text: string) => hash("sha256", text, "hex");
  const texts = paths.map((path) => readFileSync(path, "utf8"));
  const lines = texts.flatMap((text) => text.trimEnd().split("\n"));
  const records = lines.length - texts.length;
  const parsed = texts.map((text) => parseTrace(text, sha256));
  const stages: [string, () => void][] = [
    ["JSON.parse alone", () => lines.forEach((line) => void JSON.parse(line))],
    ["SHA-256 alone", () => lines.forEach((line) => void sha256(line))],
    ["parse, chain and validation", () => texts.forEach((text) => void parseTrace(text, sha256))],
    ["verdict", () => parsed.forEach((one) => void judge(one))],
    ["all of it, from disk", () => paths.forEach((path) => void judgeTrace(path))],
  ];
  const best = new Map(stages.map(([stage]) => [stage, Number.POSITIVE_INFINITY]));
  // Round by round, so that a slow moment of the machine does not hit one stage alone.
  for (let round = 0; round < rounds; round++)
    for (const [stage, work] of stages) {
      const start = performance.now();
      work();
      best.set(stage, Math.min(best.get(stage) ?? 0, performance.now() - start));
    }
  return [...best].map(([stage, ms]) => ({ stage, microseconds: (ms * 1_000) / records }));
}
