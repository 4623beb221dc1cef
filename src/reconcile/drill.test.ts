/** What the journal says of a drill: by whose record it was done, whom it opened to, and what is left. */
import { describe, expect, it } from "vitest";
import type { Drill } from "../trace/drills.ts";
import type { JournalRecord } from "../trace/records.ts";
import { judge } from "./judge.ts";
import { buildSpec } from "./testing/spec-builder.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

const SESSION = "ses_root";
type Acted = JournalRecord<"operator.acted">;
type Status = JournalRecord<"job.recorded">["status"];

/** A trial builder that knows which job record stands. */
class DrillTrace extends TraceBuilder {
  #record = 0;

  job(status: Status): this {
    const because = this.#record === 0 ? null : this.#record;
    this.add("job.recorded", { job: "op-1", session: SESSION, owner: "t", status, because });
    this.#record = this.records.length;
    return this;
  }

  acts(act: Acted["act"], as: Acted["as"], outcome: Acted["outcome"], because = this.#record): this {
    const error = outcome === "done" ? null : "no";
    return this.add("operator.acted", { act, as, session: null, outcome, error, because });
  }

  stream(fields: Partial<JournalRecord<"stream.read">>): this {
    const base = { operationId: "op-1", session: SESSION, pending: false, messages: 0, end: null };
    return this.add("stream.read", { ...base, error: null, because: this.#record, ...fields });
  }

  rows(sessions: number): this {
    return this.add("snapshot.schema", {
      how: "object",
      when: "collect",
      tables: [{ name: "container_sessions", rows: sessions }],
      indexes: [],
      error: null,
    });
  }
}

/** One call with one effect and an answer, then whatever the drill does. */
function drilled(drill: Drill, then: (trace: DrillTrace) => void, status: Status | null = "done") {
  const trace = new DrillTrace(
    buildSpec({
      factors: { subject: "container", host: "none", point: "after-answer", reset: "none", resets: 0, drill },
      container: "process",
    }),
  )
    .begin()
    .job("submitted")
    .add("executor.started", { executor: "X1", pid: 200, from: "image", because: null })
    .turn(1, "A1", ["call_1"], { executor: "X1", messages: 2 })
    .attempt(1, "A1", "call_1", { executor: "X1" })
    .commit(1, "e1")
    .send(1, "e1")
    .turn(2, "A1", [], { executor: "X1", messages: 4 })
    .settled("committed", { activation: "A1" });
  if (status !== null) trace.job(status);
  trace.reconnect("A1").submitted("again", false);
  then(trace);
  const { drill: answer, session, validity } = judge(trace.phase("settle").wait(10).end().toParsed());
  return { ...answer, session: session.value, validity };
}

const othersRefused = (trace: DrillTrace) => trace.acts("open-session", "other-owner", "refused");
const ended = (cause: "destroyed" | "deleted") =>
  ({ executor: "X1", pid: 200, exitCode: null, signal: "SIGKILL", cause, because: null }) as const;

it("passes where job, session and owner were enough for more work", () => {
  const asked = drilled("follow-up", (trace) => othersRefused(trace.probe()));
  expect(asked).toMatchObject({
    value: "passed",
    code: "record-enough",
    job: "done",
    otherOwner: "refused",
    left: "untested",
  });
});

it.each([
  ["new work was not answered", "not-answered", () => undefined],
  [
    "another owner's id opened something",
    "opened-by-another",
    (trace: DrillTrace) => trace.probe().acts("open-session", "other-owner", "done"),
  ],
  [
    "the same job was in two sessions",
    "second-session",
    (trace: DrillTrace) =>
      trace.probe().add("operation.submitted", {
        operationId: trace.spec.operationId,
        session: "ses_2",
        purpose: "at-once",
        accepted: true,
        error: null,
      }),
  ],
] as const)("fails where %s", (_why, code, then) => {
  expect(drilled("follow-up", then)).toMatchObject({ value: "failed", code });
});

it("fails where the same request was taken as new twice, and says that the client had handed it in", () => {
  const twice = drilled("same-request", (trace) =>
    trace.probe().add("operation.submitted", {
      operationId: trace.spec.operationId,
      session: SESSION,
      purpose: "at-once",
      accepted: true,
      error: null,
    }),
  );
  expect(twice).toMatchObject({ value: "failed", code: "taken-twice" });
});

it("fails where the job has no end", () => {
  expect(drilled("follow-up", (trace) => trace.probe(), null)).toMatchObject({
    value: "failed",
    code: "not-terminal",
    job: "submitted",
  });
});

describe("the evidence does not decide", () => {
  it("where something was done by another record than the one that stood", () =>
    expect(
      drilled("follow-up", (trace) => trace.probe().acts("open-session", "other-owner", "refused", 3)),
    ).toMatchObject({ value: "unknown", code: "not-by-record" }));
  it("where nobody was cut off from the events", () =>
    expect(drilled("event-stream", (trace) => trace.stream({ messages: 3 }).probe())).toMatchObject({
      value: "unknown",
      code: "stream-not-cut",
    }));
  it("where the second of two requests is not recorded", () =>
    expect(drilled("same-request", (trace) => trace.probe())).toMatchObject({
      value: "unknown",
      code: "not-both-answered",
    }));
});

describe("whoever follows the events again", () => {
  const cut = (trace: DrillTrace) =>
    trace.add("request.ended", { ordinal: 1, end: "failed", status: 502, error: "lost" });
  it.each([
    ["is told by an event", { pending: true, end: { status: "done", reason: null } }, "passed"],
    ["is told by what they begin with", { pending: false, messages: 4 }, "passed"],
    ["is told nothing", { pending: true }, "failed"],
    ["finds nothing of the job", { pending: false, messages: 0 }, "failed"],
  ] as const)("%s", (_how, fields, value) => {
    expect(drilled("event-stream", (trace) => cut(trace).stream(fields).probe())).toMatchObject({ value });
  });
});

describe("what was to be gone", () => {
  const owned = (trace: DrillTrace, act: Acted["act"], cleared: () => unknown) => {
    trace.acts(act, "nobody", "refused").acts(act, "other-owner", "refused");
    cleared();
    return trace.acts(act, "owner", "done");
  };

  it("is gone by whoever runs the containers, and not by anybody's word", () => {
    const stopped = (hasEnded: boolean, cleared: readonly string[]) =>
      drilled("end", (trace) => {
        trace.add("workspace.stored", { executor: "X1", snapshot: "s1", error: null, because: null });
        if (hasEnded) trace.add("executor.ended", ended("destroyed"));
        trace.acts("stop-executor", "owner", "done");
        owned(trace, "clear-snapshots", () =>
          trace.add("workspace.cleared", { snapshots: [...cleared], because: null }),
        );
      });
    expect(stopped(true, ["s1"])).toMatchObject({ value: "passed", left: "nothing" });
    expect(stopped(false, ["s1"])).toMatchObject({ value: "failed", code: "left-behind", left: "executor" });
    expect(stopped(true, [])).toMatchObject({ value: "failed", code: "left-behind", left: "snapshots" });
    expect(stopped(false, [])).toMatchObject({ value: "failed", left: "several" });
  });

  it("is not gone for somebody who was refused", () =>
    expect(
      drilled("end", (trace) => {
        trace
          .add("executor.ended", ended("deleted"))
          .acts("delete-executor", "nobody", "refused")
          .acts("delete-executor", "owner", "done");
      }),
    ).toMatchObject({ value: "failed", code: "cleared-though-refused" }));

  it("is not to be had without the owner's key", () =>
    expect(drilled("end", (trace) => trace.acts("clear-snapshots", "other-owner", "done"))).toMatchObject({
      value: "failed",
      code: "opened-to-strangers",
    }));

  const deleted = (rows: number | null, reopens: Acted["outcome"] = "refused") =>
    drilled("delete-record-first", (trace) => {
      trace.probe().acts("delete-session-record", "owner", "done").job("deleted");
      trace.acts("open-session", "owner", reopens);
      owned(trace, "delete-executor", () => trace.add("executor.ended", ended("deleted")));
      if (rows !== null) trace.rows(rows);
    });

  it("is a session's record whose row is gone from storage", () => {
    expect(deleted(0)).toMatchObject({ value: "passed", job: "deleted", left: "nothing" });
    expect(deleted(1)).toMatchObject({ value: "failed", left: "session-record" });
    expect(deleted(null)).toMatchObject({ value: "unknown", code: "storage-not-read", left: "unknown" });
  });

  it("is a session that takes no work any more", () =>
    expect(deleted(0, "done")).toMatchObject({ value: "failed", code: "still-opens" }));
});

it("is not asked of a trial with the usual client", () => {
  const usual = new TraceBuilder(buildSpec({})).begin().end();
  expect(judge(usual.toParsed()).drill).toMatchObject({ value: "not-applicable", code: "no-drill" });
});
