/**
 * A subject whose work is done in a container, end to end: the real `ContainerHarness` in workerd, the real daemon and an agent
 * as processes. One run, since the object comes back only after the harness's 30 s heartbeat.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { identityOf } from "../scripts/base/process-identity.ts";
import { judge } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const BASELINE = "container/none/none/append/reissue";
const LOST = ["abort", "kill"].map((reset) => `container/after-commit/${reset}/append/reissue`);

/** What a turn wrote and nobody stored yet is lost with its executor. */
const UNSYNCED = "container/after-commit/kill/append/reissue/target=executor";
const SYNCED = "container-retry/after-sync/kill/append/reissue/target=executor";
const ALL = [BASELINE, ...LOST, UNSYNCED, SYNCED];

describe("a subject that works in a container", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("harnesses", ALL);
  }, 2 * RUN_TIMEOUT_MS);

  it("does its work through an executor that the journal names before it acts", () => {
    const { records } = trace(BASELINE);
    const [started, ...more] = ofType(records, "executor.started");
    expect(more).toEqual([]);
    expect(started).toMatchObject({ from: "image", pid: expect.any(Number) });
    const acts = [...ofType(records, "model.requested"), ...ofType(records, "attempt.received")];
    // The operation asks the model twice and acts once; the probe asks at least once.
    expect(acts.length).toBeGreaterThanOrEqual(4);
    for (const act of acts) {
      expect(act.executor).toBe(started?.executor);
      expect(act.seq).toBeGreaterThan(started?.seq ?? 0);
    }
    expect(judge(trace(BASELINE))).toMatchObject({
      container: "process",
      validity: { value: "valid" },
      execution: { value: "not-interrupted" },
      executor: { value: "same", code: "one-executor" },
    });
  });

  it.each(LOST)("goes on without its object, which comes back and has the result: %s", (name) => {
    const { records, problems } = trace(name);
    const verdict = judge(trace(name));
    expect(problems).toEqual([]);
    expect(verdict).toMatchObject({
      container: "process",
      validity: { value: "valid", reasons: [] },
      session: { value: "restored" },
      execution: { value: "resumed", code: "executor-went-on" },
      executor: { value: "same", code: "one-executor" },
      response: { value: "replacement-with-state" },
      told: { value: "result" },
      autonomous: { value: "yes" },
      stuck: { value: "no" },
      operations: [{ attempts: 1, effects: 1, flags: ["ok"] }],
      openCalls: [],
      rebinding: { identity: "same", oldWork: "continued", result: "recovered", newWork: "admitted" },
    });
    expect(ofType(records, "executor.started")).toHaveLength(1);
    expect(ofType(records, "executor.ended")).toEqual([]);
    // The receipt reaches the executor although the object that drove it is gone.
    const lost = ofType(records, "reset.performed")[0]?.seq ?? 0;
    expect(ofType(records, "receipt.sent")[0]?.seq).toBeGreaterThan(lost);
  });

  it("loses its executor before its files were stored, and takes no work any more", () => {
    const { records } = trace(UNSYNCED);
    expect(judge(trace(UNSYNCED))).toMatchObject({
      validity: { value: "valid", reasons: [] },
      execution: { value: "settled-by-policy", code: "executor-lost" },
      executor: { value: "none", code: "ended-unanswered" },
      response: { value: "same" },
      autonomous: { value: "not-applicable" },
      operations: [{ attempts: 1, effects: 1, flags: ["unresolved"] }],
      rebinding: { identity: "same", oldWork: "failed", newWork: "failed" },
    });
    expect(ofType(records, "operation.settled").at(-1)).toMatchObject({
      status: "unanswered",
      reason: "container_lost",
    });
    expect(ofType(records, "probe.settled")[0]?.reason).toContain("no thread");
    const [first, second] = ofType(records, "executor.started");
    expect(second?.executor).not.toBe(first?.executor);
    expect(ofType(records, "executor.ended")).toMatchObject([
      { executor: first?.executor, pid: first?.pid, signal: "SIGKILL", cause: "reset" },
    ]);
    expect(ofType(records, "process.ended")).toEqual([]);
  });

  it("runs the operation again in another executor, whose model is told and acts a second time", () => {
    expect(judge(trace(SYNCED))).toMatchObject({
      validity: { value: "valid", reasons: [] },
      execution: { value: "resumed", code: "next-executor-went-on" },
      executor: { value: "replacement-with-state", code: "thread-shown" },
      told: { value: "outcome-unknown" },
      operations: [{ attempts: 2, effects: 2, flags: ["duplicate"] }],
      repeats: [{ attempt: 2, cause: "model-reissue" }],
      rebinding: { oldWork: "interrupted", newWork: "admitted" },
    });
  });

  it("leaves no process behind", () => {
    const pids = ALL.flatMap((name) => ofType(trace(name).records, "executor.started").map(({ pid }) => pid));
    // Two of the trials had a second executor.
    expect(pids).toHaveLength(7);
    expect(pids.map(identityOf).filter((identity) => identity !== null)).toEqual([]);
  });
});
