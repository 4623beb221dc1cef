/**
 * A subject that is a process: whoever runs the trials starts it again, it has no alarm, and it can say that nothing is
 * under way. Its verdict follows from what the records say of that, not from which subject it is.
 */
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../trace/records.ts";
import { explain, explainAnswer } from "./explain.ts";
import { judge } from "./judge.ts";
import { buildSpec, ev, TraceBuilder } from "./testing/trace-builder.ts";

const IDLE = {
  status: "unanswered",
  reason: "idle_unfinished: the session is idle, the prompt has no answer",
  text: null,
} as const;

const CUT = [
  ev(1, "session.next.prompt.admitted"),
  ev(2, "session.next.tool.input.started", "call_1"),
  ev(3, "session.next.tool.called", "call_1"),
];
const SETTLED_LATER = [
  ...CUT,
  ev(4, "session.next.tool.failed", "call_1"),
  ev(5, "session.next.tool.called", "call_2"),
  ev(6, "session.next.tool.success", "call_2"),
];

/** Up to the first word that the client gets after its quiet interval. */
function killed(): TraceBuilder {
  const spec = buildSpec({ factors: { subject: "opencode-server", host: "server", reset: "kill" } });
  const process = { cause: "process-start", object: "data-1" } as const;
  return new TraceBuilder(spec)
    .phase("prepare")
    .add("ledger.configured", { destination: "append", holds: [{ point: "after-commit", occurrence: 1 }] })
    .activated("A1", { generation: 1, isolate: "pid 100", ...process })
    .add("marker.written", { marker: spec.marker, activation: "A1" })
    .add("canary.not-offered", { why: "a process has no alarm" })
    .phase("submit")
    .submitted("first", true)
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log(CUT, { when: "look" })
    .jobs({ when: "look" })
    .phase("reset")
    .add("reset.requested", { reset: "kill", ordinal: 1, activation: null })
    .activated("A2", { generation: 2, isolate: "pid 101", ...process })
    .add("reset.performed", {
      reset: "kill",
      ordinal: 1,
      mechanism: "SIGKILL",
      error: null,
      process: { pid: 100, exitCode: null, signal: "SIGKILL", nextPid: 101, trials: 1, cluster: "k1" },
    })
    .add("receipt.undeliverable", { attempt: 1, detail: "dropped" })
    .quiet()
    .jobs({ when: "quiet", how: "offline" })
    .wait(spec.factors.quietMs)
    .add("quiet.ended", {})
    .reconnect("A2");
}

/** Another call, that the model asks for when it is told of the interrupted one. */
function reissued(trace: TraceBuilder): TraceBuilder {
  return trace
    .turn(2, "A2", ["call_2"], { results: [{ call: "call_1", tool: "ledger_act", outcome: "error" }] })
    .attempt(2, "A2", "call_2", { generation: 2 })
    .commit(2, "e2")
    .send(2, "e2")
    .turn(3, "A2", []);
}

function askedAgain(): TraceBuilder {
  // The client's word is recorded when it is answered, and the work may be recorded before.
  const trace = killed().settled("none", IDLE);
  return reissued(trace)
    .submitted("again", false)
    .settled("committed", { claim: { claim: "committed", receipt: "r-e2" } })
    .phase("probe")
    .probe()
    .collect(SETTLED_LATER)
    .jobs()
    .end();
}

function verdictOf(trace: TraceBuilder) {
  const verdict = judge(trace.toParsed());
  for (const reason of verdict.validity.reasons) expect(explain(reason)).not.toContain("undefined");
  return verdict;
}

/** The trace with other records in place of some. */
function changed(trace: TraceBuilder, change: (record: JournalRecord) => JournalRecord[]): TraceBuilder {
  const records = trace.records.flatMap(change).map((record, index) => ({ ...record, seq: index + 1 }));
  trace.records.splice(0, trace.records.length, ...records);
  return trace;
}

describe("a process that goes on only when it is asked again", () => {
  it("is valid, kept its state, and did not resume", () => {
    const verdict = verdictOf(askedAgain());
    expect(verdict).toMatchObject({
      validity: { value: "valid", reasons: [] },
      session: { value: "restored" },
      execution: { value: "not-resumed", code: "only-when-asked-again" },
      executor: { value: "replacement-with-state" },
      autonomous: { value: "not-applicable", code: "started-by-kit", wokeAfterMs: null },
      // Nothing was under way or scheduled until the client asked.
      stuck: { value: "yes", code: "nothing-scheduled" },
      attribution: { value: "host", code: "only-when-asked-again" },
      rebinding: { identity: "same", oldWork: "interrupted", newWork: "admitted" },
    });
  });

  it("is timed from its start, which is the kit's own act", () => {
    const { timings } = verdictOf(askedAgain());
    expect(timings.resetToActivationMs).toBeNull();
    // The quiet interval lies between.
    expect(timings.resetToProgressMs).toBeGreaterThanOrEqual(buildSpec().factors.quietMs);
    expect(timings.settledNote).toBeNull();
  });

  it("has its second effect from the model, and its lost call recorded as failed", () => {
    const { operations, repeats, callMismatches } = verdictOf(askedAgain());
    expect(operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(repeats).toMatchObject([{ attempt: 2, cause: "model-reissue" }]);
    expect(callMismatches).toMatchObject([{ call: "call_1", recorded: "failed", committed: true }]);
  });

  it("did resume when it worked before it was said to be idle", () => {
    const trace = reissued(killed())
      .settled("committed", { claim: { claim: "committed", receipt: "r-e2" } })
      .submitted("again", false)
      .phase("probe")
      .probe()
      .collect(SETTLED_LATER)
      .jobs()
      .end();
    expect(verdictOf(trace).execution).toMatchObject({ value: "resumed" });
  });
});

describe("a process that stays idle", () => {
  const trace = () =>
    killed()
      .settled("none", IDLE)
      .submitted("again", false)
      .settled("none", IDLE)
      .add("operation.followed-up", { operationId: "op_1", session: "ses_root", error: null })
      .settled("none", IDLE)
      .phase("probe")
      .probe()
      .collect(CUT)
      .jobs()
      .end();

  it("did not resume, and owes work that nothing will do", () => {
    expect(verdictOf(trace())).toMatchObject({
      validity: { value: "valid" },
      execution: { value: "not-resumed", code: "idle-unfinished" },
      executor: { value: "none" },
      stuck: { value: "yes" },
      openCalls: ["call_1"],
      attribution: { value: "host", code: "nothing-scheduled" },
    });
  });
});

describe("a trial without a canary", () => {
  const withJobs = (fields: Partial<JournalRecord<"snapshot.jobs">>) =>
    changed(askedAgain(), (record) =>
      record.type === "snapshot.jobs" && record.when === "quiet" ? [{ ...record, ...fields }] : [record],
    );
  const codes = (trace: TraceBuilder) => verdictOf(trace).validity.reasons.map(({ code }) => code);

  it("is invalid where an alarm was set, could not be read, or a job was waiting", () => {
    expect(codes(withJobs({ alarmAt: 5_000 }))).toEqual(["canary-missing"]);
    expect(codes(withJobs({ alarmUnknown: true }))).toEqual(["canary-missing"]);
    const job = { id: "j1", fn: "wake", dueAt: 1, running: false };
    expect(codes(withJobs({ jobs: [job] }))).toEqual(["canary-missing"]);
  });

  it("is invalid where nobody looked for alarms", () => {
    const blind = changed(askedAgain(), (record) => (record.type === "snapshot.jobs" ? [] : [record]));
    expect(codes(blind)).toEqual(["canary-missing"]);
  });

  it("is invalid where not even that was recorded", () => {
    const silent = changed(askedAgain(), (record) => (record.type === "canary.not-offered" ? [] : [record]));
    expect(codes(silent)).toEqual(["canary-not-armed"]);
  });
});

it("has a sentence for each of its codes", () => {
  for (const code of ["only-when-asked-again", "idle-unfinished", "started-by-kit"])
    expect(explainAnswer(code)).not.toContain(code);
});
