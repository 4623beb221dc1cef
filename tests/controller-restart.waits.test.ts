/**
 * The controller survives its own restart: its Workflow goes on from the last finished step, nothing is recorded
 * twice, and the journal's chain holds across the two processes.
 */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { loadExperiment } from "../experiments/registry.ts";
import { LocalRuntime } from "../scripts/local/local-runtime.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { describeEnvironment } from "../scripts/run/environment.ts";
import { exportTrace } from "../scripts/run/export-trace.ts";
import { makePlan } from "../scripts/run/make-plan.ts";
import { EVERYTHING } from "../scripts/run/selection.ts";
import { call } from "../src/link/call.ts";
import { judge } from "../src/reconcile/index.ts";
import { parseTrace } from "../src/trace/file.ts";
import { StatesResponse, type TrialState } from "../src/trace/protocol/controller-protocol.ts";

const host = chooseHost("stand-in");
let runtime: LocalRuntime;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  runtime = await LocalRuntime.start({ host, slots: ["default"], port: null, storage: "auto", trials: 1 });
}, 60_000);

afterAll(async () => {
  await runtime.stop();
  await rm(dir, { recursive: true, force: true });
});

async function stateOf(trial: string): Promise<TrialState> {
  const body = { trials: [trial], workflows: true };
  const { states } = await call(runtime.controller, "POST", "/trials/states", StatesResponse, { body });
  return states[0]!;
}

async function waitFor(trial: string, reached: (state: TrialState) => boolean): Promise<TrialState> {
  for (;;) {
    const state = await stateOf(trial);
    if (reached(state)) return state;
    await delay(100);
  }
}

it("finishes a trial whose controller and ledger were restarted in the middle of it", {
  timeout: 60_000,
}, async () => {
  const plan = makePlan(loadExperiment("recovery"), {
    run: "restart",
    seed: 1,
    repeats: 1,
    quietMs: null,
    settleMs: 5_000,
    host: "stand-in",
    only: EVERYTHING,
    loadPerSecond: 0,
    commandLine: [],
  });
  const baseline = plan.specs.find(({ factors }) => factors.point === "none")!;
  const spec = { ...baseline, bounds: { ...baseline.bounds, canaryMs: 2_000 } };
  const environment = await describeEnvironment({
    host,
    bundles: runtime.bundles.values(),
    storage: runtime.storage,
    commandLine: [],
    seed: 1,
    startedAt: new Date(),
  });
  await call(runtime.controller, "POST", "/trials", z.unknown(), { body: { spec, environment } });
  const before = await waitFor(spec.trial, ({ phase }) => phase === "settle");

  await runtime.restartLab();

  const { records, head } = await waitFor(spec.trial, ({ ended }) => ended !== null);
  expect(records).toBeGreaterThan(before.records);
  const path = await exportTrace(dir, {
    controller: runtime.controller,
    spec,
    environment,
    records,
    head: head ?? "",
  });
  const parsed = parseTrace(await readFile(path, "utf8"), (text) =>
    createHash("sha256").update(text).digest("hex"),
  );
  expect(parsed.problems).toEqual([]);
  const phases = parsed.records.filter((record) => record.type === "phase.entered").map(({ phase }) => phase);
  expect(phases).toEqual(["prepare", "submit", "reconnect", "probe", "settle", "collect"]);
  expect(judge(parsed).validity).toEqual({ value: "valid", reasons: [] });
});
