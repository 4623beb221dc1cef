/** Runs some conditions of a declared experiment once, for real, and reads the traces that they left. */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadExperiment } from "../../experiments/registry.ts";
import { executeRun } from "../../scripts/run/execute.ts";
import { makePlan } from "../../scripts/run/make-plan.ts";
import { EVERYTHING } from "../../scripts/run/selection.ts";
import { type ParsedTrace, parseTrace } from "../../src/trace/file.ts";

/** Longer than the harness's 30 s heartbeat, shorter than what a run of the kit waits. */
const QUIET_MS = 36_000;

/** How long a test may take that runs trials, in ms: most of it is waiting. */
export const RUN_TIMEOUT_MS = 120_000;

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** @throws when the experiment has no such condition, or one of them left no trace. */
export async function runTrials(
  experiment: string,
  conditions: readonly string[],
  quietMs = QUIET_MS,
): Promise<(name: string) => ParsedTrace> {
  const plan = makePlan(loadExperiment(experiment), {
    run: "test",
    seed: 1,
    repeats: 1,
    quietMs,
    settleMs: 500,
    host: "stand-in",
    only: { ...EVERYTHING, names: new Set(conditions) },
    loadPerSecond: 0,
    commandLine: [],
  });
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  const traces = new Map<string, ParsedTrace>();
  try {
    const outcome = await executeRun(plan, {
      tracesDir: dir,
      port: null,
      concurrency: 10,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onNote: () => undefined,
    });
    for (const path of outcome.traces) {
      const parsed = parseTrace(await readFile(path, "utf8"), sha256);
      traces.set(parsed.header?.spec.condition ?? path, parsed);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  const traceOf = (name: string) => {
    const parsed = traces.get(name);
    if (parsed === undefined) throw new Error(`no trace of ${name}`);
    return parsed;
  };
  for (const name of conditions) traceOf(name);
  return traceOf;
}
