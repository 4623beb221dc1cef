/** A user's own Worker under trial, from its configuration as it lies there, without a process of the command line. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadFile, parseDefinition } from "../../scripts/local/own/load-definition.ts";
import { readOwnConfig } from "../../scripts/local/own/own-config.ts";
import { bundleOwn } from "../../scripts/local/own/own-project.ts";
import { executeRun } from "../../scripts/run/execute.ts";
import { makePlan } from "../../scripts/run/make-plan.ts";
import { ownExperiment, withDefinition } from "../../scripts/run/own-plan.ts";
import { EVERYTHING } from "../../scripts/run/selection.ts";
import { type JudgedTrial, judgeTrace } from "../../scripts/stored/judge-trace.ts";

/** `condition`: the one to run; all where it is absent. */
export async function runOwn(config: string, condition?: string): Promise<readonly JudgedTrial[]> {
  const definition = parseDefinition(await loadFile(config), config);
  const { signal } = new AbortController();
  const wrangler = readOwnConfig(join(dirname(config), definition.wrangler), definition.object.binding);
  const own = await bundleOwn(wrangler, definition, config, signal);
  const planned = makePlan(ownExperiment(definition, config), {
    run: "test",
    seed: 1,
    repeats: 1,
    // A recovery takes the heartbeat of the harness.
    quietMs: 36_000,
    settleMs: 500,
    host: "stand-in",
    only: condition === undefined ? EVERYTHING : { ...EVERYTHING, names: new Set([condition]) },
    loadPerSecond: 0,
    commandLine: [],
  });
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  try {
    const { traces } = await executeRun(withDefinition(planned, definition), {
      tracesDir: dir,
      port: null,
      concurrency: 10,
      signal,
      own,
      onProgress: () => undefined,
      onNote: () => undefined,
    });
    return traces.map((path) =>
      judgeTrace(path, ["no-duplicate", "no-loss", "wakes-by-itself", "later-work-admitted"]),
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
