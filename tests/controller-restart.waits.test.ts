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
import { type ParsedTrace, parseTrace } from "../src/trace/file.ts";
import { StatesResponse, type TrialState } from "../src/trace/protocol/controller-protocol.ts";
import { ofType } from "../src/trace/records.ts";
import type { Environment, TrialSpec } from "../src/trace/spec.ts";

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

async function begin(spec: TrialSpec): Promise<Environment> {
  const environment = await describeEnvironment({
    host,
    bundles: runtime.bundles.values(),
    storage: runtime.storage,
    commandLine: [],
    seed: 1,
    startedAt: new Date(),
  });
  await call(runtime.controller, "POST", "/trials", z.unknown(), { body: { spec, environment } });
  return environment;
}

/** Waits for the trial's end, and reads the trace that is exported then. */
async function traceOf(spec: TrialSpec, environment: Environment): Promise<ParsedTrace> {
  const { records, head } = await waitFor(spec.trial, ({ ended }) => ended !== null);
  const { controller } = runtime;
  const path = await exportTrace(dir, { controller, spec, environment, records, head: head ?? "" });
  return parseTrace(await readFile(path, "utf8"), (text) => createHash("sha256").update(text).digest("hex"));
}

it("finishes a trial whose controller and ledger were restarted between two steps", {
  timeout: 60_000,
}, async () => {
  const baseline = plan.specs.find(({ factors }) => factors.point === "none")!;
  const spec = { ...baseline, bounds: { ...baseline.bounds, canaryMs: 2_000 } };
  const environment = await begin(spec);
  const before = await waitFor(spec.trial, ({ phase }) => phase === "settle");

  await runtime.restartLab();

  const parsed = await traceOf(spec, environment);
  expect(parsed.records.length).toBeGreaterThan(before.records);
  expect(parsed.problems).toEqual([]);
  const phases = ofType(parsed.records, "phase.entered").map(({ phase }) => phase);
  expect(phases).toEqual(["prepare", "submit", "reconnect", "probe", "settle", "collect"]);
  expect(judge(parsed).validity).toEqual({ value: "valid", reasons: [] });
});

it("goes on with a step in which controller and ledger were restarted, and records nothing of it twice", {
  timeout: 60_000,
}, async () => {
  // Nobody runs this trial, so that its step waits for a reset until this test answers.
  const waiting = plan.specs.find(
    ({ factors }) => factors.point === "after-commit" && factors.reset === "kill" && factors.resets === 1,
  )!;
  const spec = { ...waiting, slot: "default" };
  const environment = await begin(spec);
  const before = await waitFor(spec.trial, ({ awaitingReset }) => awaitingReset !== null);

  await runtime.restartLab();

  // The first look at it after a restart has the engine load it.
  await stateOf(spec.trial);
  const refused = { source: "cli", type: "reset.refused", reset: "kill", ordinal: 1 } as const;
  const record = { ...refused, mechanism: "none", error: "nobody is there to do it" };
  await call(runtime.controller, "POST", `/trials/${spec.trial}/resets`, z.unknown(), { body: { record } });

  const parsed = await traceOf(spec, environment);
  expect(parsed.problems).toEqual([]);
  // The subject lost its connections with the lab and goes on by itself; what the controller wrote is what counts here.
  const own = parsed.records.filter(({ source }) => source === "controller");
  const after = own.filter(({ seq }) => seq > before.records);
  expect(after).toMatchObject([
    { type: "trial.ended", reason: "reset-not-performed", detail: "nobody is there to do it" },
  ]);
  const types = own.map(({ type }) => type);
  for (const type of ["marker.written", "operation.submitted", "snapshot.log", "reset.requested"] as const)
    expect(types.filter((one) => one === type)).toEqual([type]);
});
