/**
 * A user's own Worker under trial end to end: an example's sources as they are, bundled from its own configuration, lost in the
 * acknowledgement gap of a real request. All trials share one run, since a recovery takes the heartbeat of `Agent`.
 */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { loadFile, parseDefinition } from "../scripts/local/own/load-definition.ts";
import { readOwnConfig } from "../scripts/local/own/own-config.ts";
import { bundleOwn } from "../scripts/local/own/own-project.ts";
import { executeRun } from "../scripts/run/execute.ts";
import { makePlan } from "../scripts/run/make-plan.ts";
import { ownExperiment, withDefinition } from "../scripts/run/own-plan.ts";
import { EVERYTHING } from "../scripts/run/selection.ts";
import { type JudgedTrial, judgeTrace } from "../scripts/stored/judge-trace.ts";
import { RUN_TIMEOUT_MS } from "./support/run-trials.ts";

const FOLDER = fileURLToPath(new URL("../examples/agent-scheduled-call/", import.meta.url));
const CONFIG = join(FOLDER, "recovery.config.ts");

let trials: readonly JudgedTrial[];

beforeAll(async () => {
  const definition = parseDefinition(await loadFile(CONFIG), CONFIG);
  const { signal } = new AbortController();
  const config = readOwnConfig(join(FOLDER, definition.wrangler), definition.object.binding);
  const own = await bundleOwn(config, definition, CONFIG, signal);
  const planned = makePlan(ownExperiment(definition, CONFIG), {
    run: "test",
    seed: 1,
    repeats: 1,
    quietMs: 36_000,
    settleMs: 500,
    host: "stand-in",
    only: EVERYTHING,
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
    trials = traces.map((path) =>
      judgeTrace(path, ["no-duplicate", "wakes-by-itself", "later-work-admitted"]),
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}, RUN_TIMEOUT_MS);

const of = (reset: string): JudgedTrial => {
  const found = trials.find(({ spec }) => spec?.factors.reset === reset);
  if (found === undefined) throw new Error(`no trial of ${reset}`);
  return found;
};

it("does its work once where nothing is lost", () => {
  const { verdict } = of("none");
  expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
  expect(verdict.operations).toMatchObject([
    { action: "send-invoice", attempts: 1, effects: 1, flags: ["ok"] },
  ]);
});

describe.each(["abort", "kill"])("a loss by %s", (reset) => {
  it("is proven, and the object wakes by itself", () => {
    const { verdict } = of(reset);
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict.autonomous.value).toBe("yes");
    expect(verdict.rebinding).toMatchObject({ generationBefore: 1, newWork: "admitted" });
  });

  it("has the scheduled task run again, which makes a second effect", () => {
    const { verdict, requirement } = of(reset);
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "runtime-replay" }]);
    expect(requirement?.differences.map(({ axis }) => axis)).toEqual(["required no-duplicate"]);
  });

  it("tells what would have prevented it", () => {
    const means = of(reset).prevention.map((one) => one.means);
    expect(means).toEqual(["key", "look-up"]);
    expect(of(reset).prevention[0]?.sentence).toContain("made of the payload would have been the same");
  });
});

it("names the sources that it ran, which are those of the example", async () => {
  const own = of("abort").environment?.own;
  expect(own).toMatchObject({ worker: "agent-scheduled-call", class: "BillingAgent", wrap: true });
  const sources = await readFile(join(FOLDER, "src/index.ts"));
  const sha256 = createHash("sha256").update(sources).digest("hex");
  expect(own?.main).toBe(sha256);
  expect(own?.files).toMatchObject({ "src/index.ts": sha256 });
});
