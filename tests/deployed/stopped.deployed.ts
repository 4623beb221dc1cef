/**
 * Trials on a deployment that are stopped while they run: when the deployment's minutes are spent, by the kill switch under a
 * run, and by the kill switch when the run's own process is gone. What was stopped stays silent: no request reaches the ledger for longer
 * than an object needs to come back by itself. Rehearsed by real processes, one deployment for all tests, in their order.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requireReady } from "../../scripts/deploy/deploy-state.ts";
import { controllerOf } from "../../scripts/deploy/deployed-runtime.ts";
import { deploymentOf } from "../../scripts/deploy/deployment.ts";
import { readTrace } from "../../scripts/stored/read-trace.ts";
import { call } from "../../src/link/call.ts";
import { HARNESS_HEARTBEAT_MS } from "../../src/trace/heartbeats.ts";
import { LabWork, StatesResponse, type TrialState } from "../../src/trace/protocol/controller-protocol.ts";
import { type Ended, kit, startKit } from "../support/kit.ts";

const PREFIX = `rkit-stop-${process.pid}`;
const CONDITION = "opencode/after-commit/abort/append/reissue";
/** Waits for an alarm that never comes, and so takes longer than anybody would expect. */
const SILENT = `${CONDITION}/sabotage=canary-silent`;
/** An object that is left alone is back within this time. */
const BACK_MS = HARNESS_HEARTBEAT_MS + 5_000;
const LOOK_MS = 100;
const LONG = { timeout: 600_000 };

const deployment = deploymentOf(PREFIX);
let traces: string;

beforeAll(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(async () => {
  await deploy("down");
  await rm(traces, { recursive: true, force: true });
}, 60_000);

it("ends a run when the deployment's minutes are spent, says so, and stops its trials", LONG, async () => {
  await up("1");
  const quiet = ["--quiet-ms", "34000", "--allow-short-quiet"];
  const ended = await deploy("run", "gates", "--condition", SILENT, ...quiet, ...named("spent"));
  const why =
    `the 1 minute of deployment '${PREFIX}' are spent; its trials were stopped; ` +
    `for more: npm run deploy -- up --rehearse --prefix ${PREFIX} --max-minutes <n>`;
  expect(ended.stderr).toContain(`The run ends: ${why}.`);
  expect(ended.stderr).toContain("1 trials of the run were ended on the deployment");
  expect(ended.code).toBe(130);
  expect(endOf("spent-001")).toEqual({ reason: "cancelled", detail: why });
  await expectSilence();
  const next = await deploy("run", "recovery", "--condition", CONDITION, ...named("refused"));
  expect(next.stderr).toMatch(/more than the 0\.0 that deployment '[^']+' has left of 1; select fewer, or/);
  expect(next.code).toBe(2);
});

it("ends a run and its trials by the kill switch, and begins none of those that waited", LONG, async () => {
  await up("60");
  const run = startRun("switched");
  await until("switched-001", ({ phase }) => phase === "quiet");
  const stopped = await deploy("stop");
  // Its run may end it first. Counted are the trials of all runs since the first 'up'.
  expect(stopped.stdout).toMatch(
    /Trials that this ended: (?:1, that had ended: 1|0, that had ended: 2), that had not begun: 2\./,
  );
  expect(stopped.code).toBe(0);
  const ended = await run.ended;
  expect(ended.stderr).toContain("The run ends: stopped by the kill switch.");
  expect(ended.code).toBe(130);
  expect(endOf("switched-001")).toEqual({ reason: "cancelled", detail: "stopped by the kill switch" });
  await expectSilence();
  expect((await stateOf("switched-002")).records).toBe(0);
});

it("begins no trial after that until it is brought up again", LONG, async () => {
  expect((await deploy("status")).stdout).toContain("Stopped by the kill switch");
  const refused = await deploy("run", "recovery", "--condition", CONDITION, ...named("refused"));
  expect(refused.stderr).toContain(`deployment '${PREFIX}' was stopped`);
  expect(refused.stderr).toContain(`bring it up again: npm run deploy -- up --rehearse --prefix ${PREFIX}`);
  expect(refused.code).toBe(2);
  await up("60");
  expect((await deploy("status")).stdout).not.toContain("Stopped by the kill switch");
});

it("ends trials by the kill switch whose run was killed and which go on without it", LONG, async () => {
  const run = startRun("orphaned");
  await until("orphaned-001", ({ phase }) => phase === "quiet");
  run.child.kill("SIGKILL");
  await run.ended;
  // The trial goes on: Workflow and object need nobody.
  const before = await workDone();
  await until("orphaned-001", ({ phase }) => phase === "reconnect" || phase === "probe");
  expect((await workDone()).steps).toBeGreaterThan(before.steps);
  const stopped = await deploy("stop");
  expect(stopped.stdout).toContain("Trials that this ended: 1, that had ended: 2, that had not begun: 4.");
  expect(stopped.code).toBe(0);
  await expectSilence();
  expect((await stateOf("orphaned-001")).ended).toBe("cancelled");
});

async function up(minutes: string): Promise<void> {
  const { code } = await deploy("up", "--rehearse", "--host", "stand-in", "--max-minutes", minutes);
  expect(code).toBe(0);
}

/** Three trials, one after the other. */
function startRun(name: string): ReturnType<typeof startKit> {
  const which = ["--condition", CONDITION, "--repeats", "3", "--concurrency", "1"];
  return startKit(["deploy", "run", "recovery", "--prefix", PREFIX, ...which, ...named(name)]);
}

function named(run: string): string[] {
  return ["--run-id", run, "--traces", traces];
}

function deploy(command: string, ...args: string[]): Promise<Ended> {
  return kit("deploy", command, "--prefix", PREFIX, ...args);
}

function endOf(trial: string): { reason: string; detail: string | null } | null {
  const [run = ""] = trial.split("-");
  const { records } = readTrace(join(traces, run, `${trial}.jsonl`));
  const last = records.at(-1);
  return last?.type === "trial.ended" ? { reason: last.reason, detail: last.detail } : null;
}

async function stateOf(trial: string): Promise<TrialState> {
  const body = { trials: [trial], workflows: false };
  const { states } = await call(controller(), "POST", "/trials/states", StatesResponse, { body });
  const [state] = states;
  if (state === undefined) throw new Error(`no state of ${trial}`);
  return state;
}

async function until(trial: string, isSo: (state: TrialState) => boolean): Promise<void> {
  while (!isSo(await stateOf(trial))) await delay(LOOK_MS);
}

function workDone(): Promise<LabWork> {
  return call(controller(), "GET", "/work", LabWork);
}

/** Nothing is recorded, asked or tried, for longer than an object that is left alone stays away. */
async function expectSilence(): Promise<void> {
  const before = await workDone();
  await delay(BACK_MS);
  expect(await workDone()).toEqual(before);
}

function controller() {
  const { state, secret } = requireReady(deployment);
  return controllerOf(state, secret);
}
