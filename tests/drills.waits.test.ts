/**
 * Drills of an operator, end to end: the real `ContainerHarness` in workerd, its daemon and agent as processes, a supervisor
 * that answers to an owner's key. One run of the drills that wait for nothing long.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { judge, matchExpectation } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const STREAM = "container/after-commit/stream-lost/append/reissue/reconnect=at-once/drill=event-stream";
const TWICE = "container/after-answer/none/append/reissue/reconnect=at-once/drill=same-request";
const MISSING = "container/after-commit/session-lost/append/reissue/quietMs=5000/drill=end";
const DELETED = "container/after-answer/stop/append/reissue/target=executor/drill=delete-record-first";
const SECOND_SESSION =
  "canary-second-session/after-answer/kill/append/reissue/target=executor/drill=same-request";
const ALL = [STREAM, TWICE, MISSING, DELETED, SECOND_SESSION];

describe("an operator with nothing but a job record", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("drills", ALL, 5_000);
  }, 2 * RUN_TIMEOUT_MS);

  it.each(ALL)("comes to what is expected: %s", (name) => {
    const verdict = judge(trace(name));
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(matchExpectation(verdict, trace(name).header?.spec.expect ?? {}).differences).toEqual([]);
  });

  it("is told how the job ended by events that are followed again while it is under way", () => {
    const [read] = ofType(trace(STREAM).records, "stream.read");
    expect(read).toMatchObject({ pending: true, end: { status: "done", reason: null }, error: null });
    const released = ofType(trace(STREAM).records, "hold.released")[0];
    expect(released?.seq).toBeLessThan(read?.seq ?? 0);
  });

  it("has one of two equal requests taken, in the session that both name", () => {
    const submitted = ofType(trace(TWICE).records, "operation.submitted");
    expect(submitted.map(({ purpose, accepted }) => [purpose, accepted])).toEqual([
      ["first", true],
      ["at-once", false],
      ["again", false],
      ["at-once", false],
    ]);
    expect(new Set(submitted.map(({ session }) => session)).size).toBe(1);
    const [other] = ofType(trace(TWICE).records, "operator.acted");
    expect(other).toMatchObject({ act: "open-session", as: "other-owner", outcome: "refused" });
    expect(other?.error).toContain(`Unknown container session ${other?.session}`);
  });

  it("ends a job whose session is missing, and what went on working for it", () => {
    const { records } = trace(MISSING);
    const [lost] = ofType(records, "reset.performed");
    const orphaned = ofType(records, "model.requested").filter(({ seq }) => seq > (lost?.seq ?? 0));
    expect(orphaned.length).toBeGreaterThan(0);
    expect(ofType(records, "job.recorded").map(({ status }) => status)).toEqual(["submitted", "missing"]);
    expect(ofType(records, "executor.ended")).toMatchObject([{ cause: "destroyed" }]);
    const [stored] = ofType(records, "workspace.stored");
    expect(ofType(records, "workspace.cleared")).toMatchObject([{ snapshots: [stored?.snapshot] }]);
  });

  it("deletes the session's record apart from what ran for it, which asks for the owner's key itself", () => {
    const { records } = trace(DELETED);
    const acts = ofType(records, "operator.acted");
    const [recordGone] = acts.filter(({ act }) => act === "delete-session-record");
    const asked = acts.filter(({ act }) => act === "delete-executor");
    expect(asked.map(({ as, outcome }) => [as, outcome])).toEqual([
      ["nobody", "refused"],
      ["other-owner", "refused"],
      ["owner", "done"],
    ]);
    const last = ofType(records, "executor.ended").at(-1);
    expect(last).toMatchObject({ cause: "deleted" });
    expect(last?.seq).toBeGreaterThan(asked[1]?.seq ?? Number.POSITIVE_INFINITY);
    expect(recordGone?.seq).toBeLessThan(asked[0]?.seq ?? 0);
  });
});
