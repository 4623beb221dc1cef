/**
 * One real trial of each further harness, end to end: workerd, the harness from the `agents` package, `ctx.abort()` in
 * the acknowledgement gap, the verdict computed from the trace file. A recovery takes the harness's 30 s heartbeat, so
 * all of them share one run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { judge } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const LEVELS = "after-commit/abort/append";
const CONDITIONS = [
  `ai-sdk/${LEVELS}/look-up`,
  `think-rerun/${LEVELS}/look-up`,
  `think/${LEVELS}/look-up`,
  `think/${LEVELS}/reissue`,
];

describe("a host lost in the acknowledgement gap", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("harnesses", CONDITIONS);
  }, RUN_TIMEOUT_MS);
  const calls = (condition: string) =>
    ofType(trace(condition).records, "attempt.received").map(({ call }) => call);
  /** What each model request of after the loss showed of earlier calls, until the probe. */
  const shown = (condition: string) => {
    const { records } = trace(condition);
    const [reset] = ofType(records, "reset.performed");
    const probe = ofType(records, "phase.entered").find(({ phase }) => phase === "probe");
    return ofType(records, "model.requested")
      .filter(({ seq }) => seq > (reset?.seq ?? 0) && seq < (probe?.seq ?? 0))
      .map(({ results }) => results.map(({ call, tool, outcome }) => `${call} ${tool} ${outcome}`));
  };

  it.each(CONDITIONS)(
    "is a valid trial, and the session is restored by a replacement that woke: %s",
    (name) => {
      const verdict = judge(trace(name));
      expect(trace(name).problems).toEqual([]);
      expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
      expect(verdict).toMatchObject({
        host: { kind: "none", version: "0.32.0" },
        session: { value: "restored" },
        execution: { value: "resumed" },
        executor: { value: "replacement-with-state" },
        autonomous: { value: "yes" },
        stuck: { value: "no" },
        rebinding: { generationBefore: 1, generationAfter: expect.any(Number), newWork: "admitted" },
      });
    },
  );

  it.each(CONDITIONS)("is looked at before the reset, and has no log to be read on: %s", (name) => {
    const { records } = trace(name);
    const [before] = ofType(records, "reset.requested");
    const looked = records.filter((record) => "when" in record && record.when === "look");
    expect(looked.map(({ type }) => type)).toEqual([
      "snapshot.jobs",
      "snapshot.log",
      "snapshot.transcript",
      "snapshot.schema",
    ]);
    expect(looked.every((record) => "error" in record && record.error === null)).toBe(true);
    expect(looked.every(({ seq }) => seq < (before?.seq ?? 0))).toBe(true);
    expect(ofType(records, "snapshot.log").map(({ when }) => when)).toEqual(["look", "collect"]);
    expect(ofType(records, "snapshot.transcript").map(({ via }) => via)).toEqual([undefined, undefined]);
  });

  it.each(CONDITIONS)(
    "shows what is owed before the reset, and that it was worked off by itself: %s",
    (name) => {
      const read = ofType(trace(name).records, "snapshot.jobs");
      const look = read.find(({ when }) => when === "look");
      expect(look).toMatchObject({
        jobs: [{ fn: "wake" }],
        claims: [{ session: "main", held: true }],
        alarmUnknown: false,
        error: null,
      });
      expect(look?.alarmAt).toBe(look?.jobs[0]?.dueAt);
      // Read from the files, before a client came.
      const quiet = read.find(({ how }) => how === "offline");
      expect(quiet).toMatchObject({ when: "quiet", alarmUnknown: false, error: null });
      expect(quiet?.claims.filter(({ held }) => held === true)).toEqual([]);
    },
  );

  it("makes ThinkHarness mark the call as failed, so that the model decides: it calls again under a new id", () => {
    const verdict = judge(trace(`think/${LEVELS}/reissue`));
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "model-reissue" }]);
    const [first, second] = calls(`think/${LEVELS}/reissue`);
    expect(second).not.toBe(first);
    expect(verdict.callMismatches).toMatchObject([{ call: first, recorded: "failed", committed: true }]);
    expect(shown(`think/${LEVELS}/reissue`)[0]).toEqual([`${first} ledger_commit error`]);
  });

  it("does no harm behind ThinkHarness when the model looks before it acts", () => {
    const verdict = judge(trace(`think/${LEVELS}/look-up`));
    expect(verdict.operations).toMatchObject([{ attempts: 1, effects: 1, flags: ["ok"] }]);
    expect(ofType(trace(`think/${LEVELS}/look-up`).records, "entry.read")).toMatchObject([{ found: true }]);
  });

  it("makes ThinkHarness with rerun run the same call again before the model is asked anything", () => {
    const name = `think-rerun/${LEVELS}/look-up`;
    const verdict = judge(trace(name));
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "runtime-replay" }]);
    expect(new Set(calls(name)).size).toBe(1);
    expect(verdict.callMismatches).toEqual([]);
    const { records } = trace(name);
    const [first, second] = ofType(records, "attempt.received");
    const between = ofType(records, "model.requested").filter(
      ({ seq }) => seq > (first?.seq ?? 0) && seq < (second?.seq ?? 0),
    );
    expect(between).toEqual([]);
    expect(verdict.attribution).toMatchObject({ value: "harness", code: "call-replayed" });
  });

  it("makes AiSdkHarness begin the turn anew: the model is shown no call, and repeats it whatever its policy", () => {
    const name = `ai-sdk/${LEVELS}/look-up`;
    const verdict = judge(trace(name));
    expect(shown(name)[0]).toEqual([]);
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "model-reissue" }]);
    expect(ofType(trace(name).records, "entry.read")).toEqual([]);
    const [first] = calls(name);
    expect(verdict.callMismatches).toMatchObject([{ call: first, recorded: "absent", committed: true }]);
    expect(verdict.attribution).toMatchObject({ value: "harness", code: "call-forgotten" });
  });
});
