/**
 * One trial in the acknowledgement gap that is clean, and what becomes of its verdict when one thing in it is otherwise:
 * each is an input on which a judge can say more than its records show.
 */
import { describe, expect, it } from "vitest";
import { IDLE_UNFINISHED } from "../../trace/protocol/subject-protocol.ts";
import type { JournalRecord, LogEvent, RecordType } from "../../trace/records.ts";
import { explain } from "../explain.ts";
import { judge } from "../judge.ts";
import { buildEnvironment, buildSpec, ev, parsedFrom, TraceBuilder } from "../testing/trace-builder.ts";
import type { Verdict } from "../verdict.ts";

const CREATED = "session.created";
const ADMITTED = "session.inbox.admitted";
const STARTED = "session.execution.started";
const SUCCEEDED = "session.execution.succeeded";
const CALLED = "session.tool.called";
const SUCCESS = "session.tool.success";
const FAILED = "session.tool.failed";

const SEEN: LogEvent[] = [ev(0, CREATED), ev(1, ADMITTED), ev(2, STARTED), ev(3, CALLED, "c1")];
const WHOLE: LogEvent[] = [
  ...SEEN,
  ev(4, FAILED, "c1"),
  ev(5, CALLED, "c2"),
  ev(6, SUCCESS, "c2"),
  ev(7, SUCCEEDED),
];
const SHOWN_ERROR = {
  results: [
    {
      call: "c1",
      tool: "ledger_act",
      outcome: "error" as const,
      text: "Interrupted: the outcome is unknown.",
    },
  ],
  restartNotice: true,
};
const KEY = "K1";
const WAKE_MS = 28_000;

type Overrides = Parameters<typeof buildSpec>[0];

/** Up to the look: attempt 1 has its effect, and its receipt is withheld. */
function gapStart(overrides: Overrides = {}): TraceBuilder {
  const spec = buildSpec({
    ...overrides,
    intended: [{ action: "ticket", key: KEY, effects: 1 }],
    factors: { point: "after-commit", reset: "abort", destination: "unique", ...overrides?.factors },
  });
  return new TraceBuilder(spec)
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1", { key: KEY })
    .commit(1, "e1", { key: KEY })
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log(SEEN, { when: "look" })
    .jobs({
      when: "look",
      alarmAt: 30_000,
      claims: [{ session: "ses_root", claimedAt: 5, resumeAttempts: 0 }],
    });
}

/** The reset, and the new activation, which asks the model and is told to try again. */
function recovery(trace: TraceBuilder, reset: { died?: boolean } = {}): TraceBuilder {
  const isolate = reset.died === true ? "i2" : "i1";
  return trace
    .reset("A1", reset)
    .quiet()
    .wait(WAKE_MS)
    .activated("A2", { generation: 2, cause: "alarm", isolate })
    .turn(2, "A2", ["c2"], SHOWN_ERROR)
    .attempt(2, "A2", "c2", { generation: 2, key: KEY })
    .deduplicate(2, "e1")
    .send(2, "e1")
    .turn(3, "A2", [], { results: [{ call: "c2", tool: "ledger_act", outcome: "ok" }] });
}

function close(trace: TraceBuilder, events: readonly LogEvent[] = WHOLE, isolate = "i1"): TraceBuilder {
  return trace
    .quietEnds(isolate)
    .reconnect("A2")
    .submitted("again", false)
    .settled("committed", { claim: { claim: "committed", receipt: "r-e1" } })
    .phase("probe")
    .probe()
    .collect(events)
    .jobs()
    .end();
}

const clean = () => close(recovery(gapStart()));
const killed = () => close(recovery(gapStart({ factors: { reset: "kill" } }), { died: true }), WHOLE, "i2");

type Change = (record: JournalRecord) => JournalRecord[];

/** The verdict on the trace's records after `change`, numbered again. */
function verdictOf(trace: TraceBuilder, change: Change = (record) => [record]): Verdict {
  const records = trace.records.flatMap(change).map((record, index) => ({ ...record, seq: index + 1 }));
  const [started] = records;
  const spec = started?.type === "trial.started" ? started.spec : trace.spec;
  const environment = started?.type === "trial.started" ? started.environment : trace.environment;
  const verdict = judge(parsedFrom(records as JournalRecord[], spec, environment));
  for (const finding of [...verdict.validity.reasons, ...verdict.findings])
    expect(explain(finding)).not.toContain("undefined");
  return verdict;
}

function edit<T extends RecordType>(
  type: T,
  fields: Partial<JournalRecord<T>>,
  which: (record: JournalRecord<T>) => boolean = () => true,
): Change {
  return (record) =>
    record.type === type && which(record as JournalRecord<T>)
      ? [{ ...record, ...fields } as JournalRecord]
      : [record];
}

/** Puts records behind the first one of `type` that `which` picks. */
function insert<T extends RecordType>(
  type: T,
  add: (record: JournalRecord<T>) => object[],
  which: (record: JournalRecord<T>) => boolean = () => true,
): Change {
  let done = false;
  return (record) => {
    if (done || record.type !== type || !which(record as JournalRecord<T>)) return [record];
    done = true;
    const { seq, at, prev } = record;
    return [
      record,
      ...add(record as JournalRecord<T>).map((fields) => ({ seq, at, prev, ...fields }) as JournalRecord),
    ];
  };
}

const codes = ({ findings }: Verdict) => findings.map(({ code }) => code);
const reasons = ({ validity }: Verdict) => validity.reasons.map(({ code }) => code);
const REFUSED = { type: "model.refused", source: "model", status: 400, reason: "messages do not alternate" };

describe("the clean trial", () => {
  it.each([
    ["abort", clean],
    ["kill", killed],
  ])("has no finding (%s)", (_reset, build) => {
    const verdict = verdictOf(build());
    expect(verdict).toMatchObject({
      validity: { value: "valid" },
      session: { value: "restored" },
      execution: { value: "resumed" },
      executor: { value: "replacement-with-state", activation: "A2" },
      response: { value: "replacement-with-state", activation: "A2" },
      told: { value: "outcome-unknown", call: "c1" },
      autonomous: { value: "yes", code: "wake-job" },
      stuck: { value: "no" },
      rebinding: { identity: "same", oldWork: "interrupted", newWork: "admitted" },
      attribution: { value: "none" },
      findings: [],
    });
    expect(verdict.operations[0]?.flags).toEqual(["ok"]);
  });
});

describe("whether the fault was delivered", () => {
  it("is denied by an old activation that goes on until the client returns (1.1)", () => {
    const trace = close(
      gapStart()
        .reset("A1")
        .send(1, "e1")
        .quiet()
        .turn(2, "A1", [], { results: [{ call: "c1", tool: "ledger_act", outcome: "ok" }] }),
    );
    const verdict = verdictOf(
      trace,
      insert("quiet.ended", () => [{ ...activationOf("A2", 2, "fetch"), type: "subject.activated" }]),
    );
    expect(reasons(verdict)).toContain("reset-not-delivered");
    expect(verdict.attribution.value).not.toBe("harness");
  });

  it("is denied by an old version that answers until an eviction brings the new one (1.2)", () => {
    const v1 = { version: { id: "v1", tag: "" } };
    const trace = new TraceBuilder(
      buildSpec({ factors: { point: "before-commit", reset: "redeploy", destination: "append" } }),
    )
      .begin("A1", v1)
      .turn(1, "A1", ["c1"])
      .attempt(1, "A1", "c1")
      .reach(1)
      .reset("A1")
      .commit(1, "e1")
      .send(1, "e1")
      .quiet()
      .turn(2, "A1", [])
      .quietEnds()
      .activated("A2", { generation: 2, cause: "fetch", isolate: "i2", version: { id: "v2", tag: "" } })
      .reconnect("A2")
      .submitted("again", false)
      .settled("committed")
      .collect([ev(0, STARTED), ev(1, CALLED, "c1"), ev(2, SUCCESS, "c1"), ev(3, SUCCEEDED)])
      .jobs()
      .end();
    expect(reasons(verdictOf(trace))).toContain("reset-not-delivered");
  });

  it("is denied by records of a process that is said to be dead (1.3)", () => {
    const late = insert("quiet.started", () => [
      {
        type: "model.requested",
        source: "ledger",
        call: 2,
        purpose: "title",
        ordinal: 1,
        activation: "A1",
        session: "ses_root",
        messages: 1,
        results: [],
        restartNotice: false,
        tokens: 1,
      },
    ]);
    const shift: Change = (record) =>
      ((record.type === "model.requested" && record.purpose === "turn") ||
        record.type === "model.answered") &&
      record.call > 1
        ? [{ ...record, call: record.call + 1 }]
        : [record];
    const verdict = verdictOf(killed(), (record) => shift(record).flatMap(late));
    expect(reasons(verdict)).toContain("reset-not-delivered");
  });

  it("is denied by a receipt that reaches the old owner, whose life is then a cause too (1.4)", () => {
    const verdict = verdictOf(
      clean(),
      insert("quiet.started", () => [
        { type: "receipt.sent", source: "ledger", attempt: 1, effect: "e1", receipt: "r-e1" },
      ]),
    );
    expect(reasons(verdict)).toEqual(["reset-not-delivered"]);
    expect(verdict.repeats.map(({ cause }) => cause)).toContain("concurrent-owner");
  });

  it.each([
    ["the next process has the same id", { pid: 100, nextPid: 100, signal: "SIGKILL", exitCode: null }],
    ["it went out by itself", { pid: 100, nextPid: 101, signal: null, exitCode: 0 }],
    ["nobody saw it end", { pid: 100, nextPid: 101, signal: null, exitCode: null }],
    ["there is no process record", null],
  ])("is not shown by a kill where %s (1.5)", (_why, process) =>
    expect(
      reasons(
        verdictOf(
          killed(),
          edit("reset.performed", {
            process: process === null ? null : { ...process, trials: 1, cluster: "k1" },
          }),
        ),
      ),
    ).toContain("reset-not-delivered"),
  );

  it("is not all that happened where a process ended that nobody ended (1.6)", () =>
    expect(
      reasons(
        verdictOf(
          killed(),
          insert("quiet.started", () => [
            {
              type: "process.ended",
              source: "cli",
              pid: 101,
              exitCode: 139,
              signal: "SIGSEGV",
              meant: false,
              because: null,
            },
          ]),
        ),
      ),
    ).toEqual(["process-died"]));

  it("is dated by the death of the process, not by the report of its successor (1.7)", () => {
    const trace = gapStart({ factors: { reset: "kill" } })
      .phase("reset")
      .add("reset.requested", { reset: "kill", ordinal: 1, activation: "A1" })
      .add("process.ended", { pid: 100, exitCode: null, signal: "SIGKILL", meant: true, because: null })
      .wait(6_000)
      .add("process.started", { pid: 101, because: null });
    const died = trace.records.find(({ type }) => type === "process.ended")?.at ?? 0;
    trace
      .add("reset.performed", {
        reset: "kill",
        ordinal: 1,
        mechanism: "SIGKILL",
        error: null,
        process: { pid: 100, exitCode: null, signal: "SIGKILL", nextPid: 101, trials: 1, cluster: "k1" },
      })
      .quiet()
      .wait(22_000)
      .activated("A2", { generation: 2, cause: "alarm", isolate: "i2" });
    const woke = trace.records.at(-1)?.at ?? 0;
    trace
      .turn(2, "A2", ["c2"], SHOWN_ERROR)
      .attempt(2, "A2", "c2", { generation: 2, key: KEY })
      .deduplicate(2, "e1")
      .send(2, "e1")
      .turn(3, "A2", []);
    const verdict = verdictOf(close(trace, WHOLE, "i2"));
    expect(verdict.validity.value).toBe("valid");
    expect(verdict.autonomous.wokeAfterMs).toBe(woke - died);
    expect(verdict.timings.resetToActivationMs).toBe(woke - died);
  });

  it("and a wake is given against the alarm that was set, on the object's own clock (1.7)", () => {
    const trace = clean();
    const woke = trace.records.find(
      (record) => record.type === "subject.activated" && record.generation === 2,
    );
    const { autonomous } = verdictOf(trace);
    expect(autonomous.wokeLateMs).toBe((woke?.type === "subject.activated" ? woke.subjectAt : 0) - 30_000);
  });
});

function activationOf(activation: string, generation: number, cause: string) {
  return {
    source: "subject",
    activation,
    generation,
    cause,
    isolate: "i1",
    marker: "M-77",
    object: "o1",
    version: { id: "", tag: "" },
    host: { kind: "stand-in", name: "opencode-stand-in", version: "0" },
    subjectAt: 1,
    late: false,
  };
}

describe("who worked, and who answered", () => {
  it("are two answers with an activation each (1.8)", () => {
    const verdict = verdictOf(clean(), (record) => {
      if (record.type === "quiet.ended")
        return [
          record,
          { ...record, ...activationOf("A3", 3, "fetch"), type: "subject.activated" } as JournalRecord,
        ];
      return record.type === "client.reconnected" ? [{ ...record, activation: "A3" }] : [record];
    });
    expect(verdict.executor).toMatchObject({ value: "replacement-with-state", activation: "A2" });
    expect(verdict.response).toMatchObject({ value: "replacement-with-state", activation: "A3" });
    expect(codes(verdict)).toEqual([]);
  });

  it("is a worker without state, whatever the one that answers has (1.9)", () => {
    const verdict = verdictOf(clean(), (record) => {
      if (record.type === "subject.activated" && record.generation === 2)
        return [{ ...record, marker: null }];
      if (record.type === "quiet.ended")
        return [
          record,
          { ...record, ...activationOf("A3", 3, "fetch"), type: "subject.activated" } as JournalRecord,
        ];
      return record.type === "client.reconnected" ? [{ ...record, activation: "A3" }] : [record];
    });
    expect(verdict.executor).toMatchObject({ value: "replacement-without-state", activation: "A2" });
    expect(verdict.response).toMatchObject({ value: "replacement-with-state", activation: "A3" });
  });

  it("tells a retried alarm from the wake job (1.10)", () => {
    const trace = gapStart();
    const retried = close(
      trace
        .reset("A1")
        .quiet()
        .activated("A2", { generation: 2, cause: "alarm" })
        .turn(2, "A2", ["c2"], SHOWN_ERROR)
        .attempt(2, "A2", "c2", { generation: 2, key: KEY })
        .deduplicate(2, "e1")
        .send(2, "e1")
        .turn(3, "A2", []),
    );
    const inAlarm = edit("subject.activated", { cause: "alarm" }, ({ generation }) => generation === 1);
    expect(verdictOf(retried, inAlarm).autonomous).toMatchObject({ value: "yes", code: "retried-alarm" });
    expect(verdictOf(clean(), inAlarm).autonomous).toMatchObject({ value: "yes", code: "wake-job" });
  });

  it("misses activations of which no record tells (1.11)", () => {
    const jumped = verdictOf(
      clean(),
      edit("subject.activated", { generation: 7 }, (r) => r.generation === 2),
    );
    expect(jumped.findings).toMatchObject([
      { code: "activations-unseen", facts: { from: 1, to: 7, unseen: 5 } },
    ]);
  });

  it("takes no eviction of an idle object for a loss in the middle of work (1.12)", () => {
    const trace = new TraceBuilder(buildSpec({ factors: { point: "after-commit", reset: "interrupt" } }))
      .begin()
      .turn(1, "A1", ["c1"])
      .attempt(1, "A1", "c1")
      .commit(1, "e1")
      .withhold(1, "e1")
      .reach(1)
      .reset("A1")
      .quiet()
      .wait(30_000)
      .activated("A2", { generation: 2, cause: "alarm" })
      .quietEnds()
      .reconnect("A2")
      .settled("none", { status: "unanswered", reason: "interrupted" })
      .collect([ev(0, STARTED), ev(1, CALLED, "c1"), ev(2, "session.execution.interrupted")])
      .jobs()
      .end();
    expect(codes(verdictOf(trace))).not.toContain("activations-unplanned");
  });

  it.each([
    ["failed", "not_found"],
    ["pending", IDLE_UNFINISHED],
  ])("splits nobody: %s", (code, reason) => {
    const verdict = verdictOf(clean(), edit("operation.settled", { status: "unanswered", reason }));
    expect(verdict.executor).toMatchObject({ value: "none", code, activation: null });
  });

  it("splits nobody: timed out", () => {
    const waited = { type: "wait.expired", source: "controller", waitedFor: "operation op-1", boundMs: 9 };
    const verdict = verdictOf(clean(), ({ seq, at, prev, ...record }) =>
      record.type === "operation.settled"
        ? [{ seq, at, prev, ...waited } as JournalRecord]
        : [{ seq, at, prev, ...record } as JournalRecord],
    );
    expect(verdict.executor).toMatchObject({ value: "none", code: "timed-out" });
  });
});

describe("whether the session was restored", () => {
  it("is another session's business when the work moved to it (2.1)", () => {
    const from = (record: JournalRecord) => record.seq > 25 && record.type !== "snapshot.log";
    const verdict = verdictOf(clean(), (record) =>
      from(record) && "session" in record && record.type !== "snapshot.transcript"
        ? [{ ...record, session: "ses_new" } as JournalRecord]
        : [record],
    );
    expect(codes(verdict)).toContain("session-moved");
    expect(verdict.rebinding.identity).not.toBe("same");
  });

  it.each([
    ["is empty", []],
    ["lacks the user's message", [{ id: "m2", type: "assistant" }]],
    ["is nonsense", [{ id: "x", type: "banana" }]],
    [
      "has a call under way that the log has as ended",
      [
        { id: "m1", type: "user" },
        { id: "m2", type: "assistant", tools: [{ call: "c1", tool: "ledger_act", status: "running" }] },
      ],
    ],
  ])("is damaged where the last transcript %s (2.2)", (_how, messages) =>
    expect(verdictOf(clean(), edit("snapshot.transcript", { messages })).session).toMatchObject({
      value: "restored-damaged",
    }),
  );

  it("is whole where a prompt that is in no message is one that the session waits to begin (2.3)", () => {
    const unbegun = (operationId: string) =>
      verdictOf(
        clean(),
        edit("snapshot.transcript", { messages: [], pending: [{ operationId, status: "admitted" }] }),
      ).session.value;
    expect(unbegun("op-1")).toBe("restored");
    expect(unbegun("op-other")).toBe("restored-damaged");
  });

  it.each([
    ["has no table", []],
    [
      "has fewer rows than the log has events",
      [
        { name: "session", rows: 1 },
        { name: "event", rows: 2 },
      ],
    ],
    ["has an empty event table", [{ name: "event", rows: 0 }]],
  ])("contradicts a schema that %s (2.3)", (_how, tables) =>
    expect(verdictOf(clean(), edit("snapshot.schema", { tables })).session.value).toBe("restored-damaged"),
  );

  const lastLog = (events: readonly LogEvent[], fields: Partial<JournalRecord<"snapshot.log">> = {}) =>
    verdictOf(
      clean(),
      edit(
        "snapshot.log",
        { events: [...events], synced: events.at(-1)?.seq ?? null, ...fields },
        ({ when }) => when === "collect",
      ),
    ).session;

  it.each([
    ["is the look of before the reset", SEEN],
    ["has two events", SEEN.slice(0, 2)],
    ["ends without a terminal event", WHOLE.slice(0, -1)],
    [
      "fails the execution that the outcome calls done",
      [...WHOLE.slice(0, -1), ev(7, "session.execution.failed")],
    ],
  ])("is damaged where the last log %s (2.4)", (_how, events) =>
    expect(lastLog(events).value).toBe("restored-damaged"),
  );

  it("is damaged where the watermark lies behind the events (2.5)", () =>
    expect(lastLog(WHOLE, { synced: 3 })).toMatchObject({
      value: "restored-damaged",
      code: "watermark-behind",
    }));

  it("is damaged where the cursor went back (2.6)", () => {
    const verdict = verdictOf(
      clean(),
      edit("snapshot.log", { synced: 9 }, ({ when }) => when === "look"),
    );
    expect(verdict.session).toMatchObject({ value: "restored-damaged", code: "cursor-went-back" });
    expect(verdict.transcript.cursorAfter ?? 0).toBeLessThan(verdict.transcript.cursorBefore ?? 0);
  });

  it("is the host's failing where a call that acted is in no log (2.7)", () => {
    const withoutCall = (events: readonly LogEvent[]) =>
      events.filter(({ call }) => call !== "c1").map((event, seq) => ({ ...event, seq }));
    const appended = close(
      gapStart({ factors: { destination: "append" } })
        .reset("A1")
        .quiet()
        .wait(WAKE_MS)
        .activated("A2", { generation: 2, cause: "alarm" })
        .turn(2, "A2", ["c2"], { results: [] })
        .attempt(2, "A2", "c2", { generation: 2, key: KEY })
        .commit(2, "e2", { key: KEY })
        .send(2, "e2")
        .turn(3, "A2", []),
    );
    const verdict = verdictOf(appended, (record) =>
      record.type === "snapshot.log"
        ? [{ ...record, events: withoutCall(record.events), synced: withoutCall(record.events).length - 1 }]
        : [record],
    );
    expect(verdict.callMismatches).toMatchObject([{ call: "c1", recorded: "absent", committed: true }]);
    expect(verdict.attribution).toMatchObject({ value: "host" });
  });

  it.each([
    ["no result", []],
    ["an error", [{ call: "c1", tool: "ledger_act", outcome: "error" as const }]],
  ])("is the host's failing where a stored success is shown as %s (2.8)", (_how, results) => {
    const seen = [...SEEN, ev(4, SUCCESS, "c1")];
    const trace = new TraceBuilder(
      buildSpec({
        factors: { point: "after-receipt", reset: "abort", destination: "append" },
      }),
    )
      .begin()
      .turn(1, "A1", ["c1"])
      .attempt(1, "A1", "c1")
      .commit(1, "e1")
      .send(1, "e1")
      .request(2, "A1", { results: [{ call: "c1", tool: "ledger_act", outcome: "ok" }] })
      .reach(null, 2)
      .phase("look")
      .log(seen, { when: "look" })
      .reset("A1")
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm" })
      .turn(3, "A2", ["c2"], { results, restartNotice: true })
      .attempt(2, "A2", "c2", { generation: 2 })
      .commit(2, "e2")
      .send(2, "e2")
      .turn(4, "A2", []);
    const verdict = verdictOf(
      close(trace, [...seen, ev(5, CALLED, "c2"), ev(6, SUCCESS, "c2"), ev(7, SUCCEEDED)]),
    );
    expect(verdict.attribution).toMatchObject({ value: "host", code: "stored-result-not-shown" });
  });

  it("says one thing on every axis of an object that kept its marker and forgot its operation (2.9)", () => {
    const verdict = verdictOf(clean(), edit("operation.submitted", { accepted: true }));
    expect(verdict.session).toMatchObject({ value: "restored-damaged", code: "operation-forgotten" });
    expect(verdict.executor.value).toBe("replacement-with-state");
    expect(verdict.rebinding.identity).toBe("same");
  });

  it("names an operation that is still pending at the end (2.10)", () =>
    expect(
      codes(
        verdictOf(
          clean(),
          edit("snapshot.transcript", { pending: [{ operationId: "op-1", status: "pending" }] }),
        ),
      ),
    ).toEqual(["operation-still-pending"]));

  it("knows nothing of missing events where there is no log (2.11)", () => {
    const verdict = verdictOf(clean(), edit("snapshot.log", { offered: false, events: [], synced: null }));
    expect(verdict.transcript).toMatchObject({ cursorBefore: null, missing: null, damaged: null });
  });

  it("is intact where nobody came back and the files have it (2.12)", () => {
    const trace = gapStart({ factors: { reset: "kill", reconnect: "never" } })
      .reset("A1", { died: true })
      .quiet()
      .quietEnds("i2")
      .collect(SEEN, "offline")
      .jobs({ how: "offline" })
      .end();
    expect(verdictOf(trace).session).toMatchObject({ value: "intact-not-reactivated" });
  });
});

describe("whether the execution resumed", () => {
  /** Nobody wakes; the client comes back and prompts anew. */
  const asleep = (jobs: Partial<JournalRecord<"snapshot.jobs">> = {}) =>
    gapStart({ factors: { destination: "append" } })
      .reset("A1")
      .quiet()
      .wait(38_000)
      .jobs({ how: "offline", when: "quiet", ...jobs })
      .quietEnds()
      .phase("reconnect")
      .activated("A2", { generation: 2, cause: "fetch" })
      .add("client.reconnected", { ok: true, activation: "A2", error: null })
      .submitted("again", false)
      .add("wait.expired", { waitedFor: "operation op-1", boundMs: 1_000 })
      .phase("probe");
  const CLAIMED = [{ session: "ses_root", claimedAt: 5, resumeAttempts: 0 }];

  it("is not what a later prompt set off (3.1)", () => {
    const trace = asleep()
      .turn(2, "A2", ["c2"])
      .attempt(2, "A2", "c2", { generation: 2, key: KEY })
      .commit(2, "e2", { key: KEY })
      .send(2, "e2")
      .turn(3, "A2", [])
      .probe()
      .collect([...SEEN, ev(4, CALLED, "c2"), ev(5, SUCCESS, "c2"), ev(6, SUCCEEDED)])
      .jobs()
      .end();
    expect(verdictOf(trace).execution).toMatchObject({ value: "not-resumed", code: "only-by-later-prompt" });
  });

  it("deviates where work goes on that had been interrupted on request (3.2)", () => {
    const trace = gapStart({ factors: { reset: "interrupt-then-kill" } })
      .phase("reset")
      .add("reset.requested", { reset: "interrupt", ordinal: 1, activation: "A1" })
      .add("reset.performed", {
        reset: "interrupt",
        ordinal: 1,
        mechanism: "the harness's abort of the session",
        error: null,
        process: null,
      })
      .settled("none", { status: "unanswered", reason: "interrupted" })
      .add("reset.requested", { reset: "kill", ordinal: 2, activation: "A1" })
      .add("reset.performed", {
        reset: "kill",
        ordinal: 2,
        mechanism: "SIGKILL",
        error: null,
        process: { pid: 100, exitCode: null, signal: "SIGKILL", nextPid: 101, trials: 1, cluster: "k1" },
      })
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm", isolate: "i2" })
      .turn(2, "A2", ["c2"], SHOWN_ERROR)
      .attempt(2, "A2", "c2", { generation: 2, key: KEY })
      .deduplicate(2, "e1")
      .send(2, "e1")
      .turn(3, "A2", []);
    const verdict = verdictOf(close(trace, WHOLE, "i2"));
    expect(verdict.execution).toMatchObject({ code: "resumed-after-interrupt" });
    expect(verdict.attribution).toMatchObject({ value: "host", code: "resumed-after-interrupt" });
  });

  it("is stuck by the reading of the quiet interval, whatever jobs the kit's own reads arm (3.3)", () => {
    const trace = asleep({ claims: CLAIMED })
      .probe()
      .collect(SEEN)
      .jobs({ jobs: [{ id: "close", fn: "close", dueAt: 90_000, running: false }], alarmAt: 90_000 })
      .end();
    expect(verdictOf(trace).stuck).toMatchObject({ value: "yes", code: "nothing-scheduled" });
  });

  it("is not said to be free of owing where its files could not be read and a client woke it", () => {
    const ended = (trace: TraceBuilder) =>
      verdictOf(
        trace
          .turn(2, "A2", [])
          .settled("committed")
          .probe()
          .collect(SEEN)
          .jobs({ jobs: [{ id: "close", fn: "close", dueAt: 90_000, running: false }], alarmAt: 90_000 })
          .end(),
      ).stuck;
    const unread = { error: "nothing but the object itself can read what is stored there" };
    expect(ended(asleep())).toMatchObject({ value: "yes" });
    expect(ended(asleep(unread))).toMatchObject({ value: "unknown", code: "not-read-offline" });
    // One that came back by itself needed nobody.
    const awake = gapStart({ factors: { destination: "append" } })
      .reset("A1")
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm" })
      .jobs({ how: "offline", when: "quiet", ...unread })
      .quietEnds();
    expect(ended(awake)).toMatchObject({ value: "no" });
  });

  it.each([
    ["yes", "only-closing-scheduled", []],
    ["no-progress", "woke-without-progress", [{ id: "wake", fn: "wake", dueAt: 91_000, running: false }]],
  ])("is stuck where it woke in vain: %s, %s (3.3)", (value, code, more) => {
    const trace = gapStart()
      .reset("A1")
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm" })
      .wait(8_000)
      .jobs({
        how: "offline",
        when: "quiet",
        jobs: [{ id: "close", fn: "close", dueAt: 90_000, running: false }, ...more],
        claims: CLAIMED,
        alarmAt: 90_000,
      })
      .quietEnds()
      .reconnect("A2")
      .submitted("again", false)
      .add("wait.expired", { waitedFor: "operation op-1", boundMs: 1_000 })
      .collect(SEEN)
      .jobs({ alarmAt: 120_000, claims: CLAIMED })
      .end();
    expect(verdictOf(trace).stuck).toMatchObject({ value, code });
  });

  it("is stuck where the alarm is long overdue and the witness's came (3.4)", () => {
    const trace = asleep({ claims: CLAIMED, alarmAt: 2_000 }).probe().collect(SEEN).jobs().end();
    expect(verdictOf(trace).stuck).toMatchObject({ value: "yes", code: "alarm-overdue" });
  });

  it("has a value of its own where it wakes again and again without progress (3.5)", () => {
    const trace = gapStart().reset("A1").quiet();
    for (const generation of [2, 3, 4, 5])
      trace.wait(8_000).activated(`A${generation}`, { generation, cause: "alarm" });
    trace
      .jobs({ how: "offline", when: "quiet", claims: CLAIMED, alarmAt: 90_000 })
      .quietEnds()
      .reconnect("A5")
      .submitted("again", false)
      .add("wait.expired", { waitedFor: "operation op-1", boundMs: 1_000 })
      .collect(SEEN)
      .jobs({ claims: CLAIMED, alarmAt: 90_000 })
      .end();
    const { stuck } = verdictOf(trace);
    expect(stuck).toMatchObject({ value: "no-progress" });
    expect(stuck.sinceProgressMs).toBeGreaterThan(20_000);
  });

  it("did not where the provider refuses every request (3.6)", () => {
    const trace = gapStart()
      .reset("A1")
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm" });
    trace.request(2, "A2", SHOWN_ERROR).add("model.refused", { status: 400, reason: REFUSED.reason });
    trace
      .quietEnds()
      .reconnect("A2")
      .submitted("again", false)
      .settled("none", { status: "unanswered", reason: "the provider refused" })
      .phase("probe")
      .add("probe.submitted", { operationId: "probe-1", session: "ses_root", accepted: true, error: null })
      .request(3, "A2")
      .add("model.refused", { status: 400, reason: REFUSED.reason })
      .add("probe.settled", {
        operationId: "probe-1",
        session: "ses_root",
        status: "unanswered",
        reason: "the provider refused",
        text: null,
      })
      .collect([...SEEN, ev(4, "session.execution.failed")])
      .jobs()
      .end();
    const verdict = verdictOf(trace);
    expect(verdict.execution).toMatchObject({ value: "not-resumed", code: "provider-refused" });
    expect(verdict.rebinding.newWork).toBe("failed");
    expect(verdict.findings.find(({ code }) => code === "model-refused")?.facts).toMatchObject({
      reason: REFUSED.reason,
    });
  });

  it("begins anew where a call is made again without the model (3.7)", () => {
    const trace = close(
      gapStart()
        .reset("A1")
        .quiet()
        .wait(WAKE_MS)
        .activated("A2", { generation: 2, cause: "alarm" })
        .attempt(2, "A2", "c1", { generation: 2, key: KEY })
        .deduplicate(2, "e1")
        .send(2, "e1")
        .turn(2, "A2", [], { results: [{ call: "c1", tool: "ledger_act", outcome: "ok" }] }),
      [...SEEN, ev(4, SUCCESS, "c1"), ev(5, SUCCEEDED)],
    );
    expect(verdictOf(trace).rebinding.oldWork).toBe("restarted");
  });

  it("is a claim where neither a receipt nor a look-up had told of the effect (3.8)", () => {
    const trace = gapStart()
      .reset("A1")
      .quiet()
      .wait(WAKE_MS)
      .activated("A2", { generation: 2, cause: "alarm" })
      .turn(2, "A2", [], SHOWN_ERROR)
      .quietEnds()
      .reconnect("A2")
      .submitted("again", false)
      .settled("committed", { claim: { claim: "committed", receipt: null } })
      .probe()
      .collect([...SEEN, ev(4, FAILED, "c1"), ev(5, SUCCEEDED)])
      .jobs()
      .end();
    expect(verdictOf(trace).rebinding.result).toBe("claimed");
  });

  it("woke by itself, dated by the first record that names it (3.9)", () => {
    let beacon: JournalRecord | null = null;
    const trace = clean();
    const asked = trace.records.find((record) => record.type === "model.requested" && record.call === 2);
    const verdict = verdictOf(trace, (record) => {
      if (record.type === "subject.activated" && record.generation === 2) {
        beacon = record;
        return [];
      }
      return record.type === "quiet.ended" && beacon !== null
        ? [record, { ...beacon, at: record.at }]
        : [record];
    });
    const performed = trace.records.find(({ type }) => type === "reset.performed");
    expect(verdict.autonomous).toMatchObject({
      value: "yes",
      wokeAfterMs: (asked?.at ?? 0) - (performed?.at ?? 0),
    });
  });

  it.each([
    [
      "an outcome in it",
      {
        type: "operation.settled",
        operationId: "op-1",
        session: "ses_root",
        status: "done",
        reason: null,
        text: "",
        claim: { claim: "committed", receipt: null },
      },
    ],
    [
      "a wait for the operation that ran out in it",
      { type: "wait.expired", waitedFor: "operation op-1", boundMs: 1 },
    ],
    [
      "a reading through the object in it",
      { type: "client.reconnected", ok: true, activation: "A2", error: null },
    ],
  ])("was not left alone: %s (3.10)", (_what, added) =>
    expect(
      verdictOf(
        clean(),
        insert("canary.fired", () => [{ source: "controller", ...added }]),
      ).autonomous,
    ).toMatchObject({ value: "unknown", code: "quiet-broken" }),
  );

  it("was not left alone where the object counted requests (3.10)", () =>
    expect(verdictOf(clean(), edit("client.reconnected", { requestsBefore: 1 })).autonomous).toMatchObject({
      value: "unknown",
      code: "quiet-broken",
    }));

  it("is unknown where nothing shows what woke it (3.10)", () =>
    expect(
      verdictOf(
        clean(),
        edit("subject.activated", { cause: "unknown" }, (r) => r.generation === 2),
      ).autonomous,
    ).toMatchObject({ value: "unknown", code: "cause-unknown" }));

  it("is unknown where the quiet interval was shorter than the heartbeat (3.10)", () => {
    const trace = gapStart({ factors: { quietMs: 5 } })
      .reset("A1")
      .quiet()
      .quietEnds()
      .phase("reconnect")
      .activated("A2", { generation: 2, cause: "fetch" })
      .add("client.reconnected", { ok: true, activation: "A2", error: null })
      .submitted("again", false)
      .turn(2, "A2", [], SHOWN_ERROR)
      .settled("unknown")
      .collect([...SEEN, ev(4, FAILED, "c1"), ev(5, SUCCEEDED)])
      .jobs()
      .end();
    const verdict = verdictOf(trace);
    expect(verdict.autonomous).toMatchObject({ value: "unknown", code: "quiet-too-short" });
    expect(verdict.attribution.value).not.toBe("harness");
  });

  const neverWoke = () => asleep({ claims: CLAIMED }).probe().collect(SEEN).jobs({ claims: CLAIMED }).end();

  it.each([
    ["late", edit("canary.fired", { lateMs: 30_000 }), "canary-late"],
    ["in another isolate", edit("canary.fired", { isolate: "i9" }), "canary-elsewhere"],
  ])("is not blamed on the harness where the witness fired %s (3.11)", (_how, change, code) => {
    const verdict = verdictOf(neverWoke(), change);
    expect(codes(verdict)).toContain(code);
    expect(verdict.attribution).toMatchObject({ value: "unknown", code });
    expect(codes(verdictOf(clean(), change))).toContain(code);
  });

  it("is not blamed on the harness where the witness fired before the reset only (3.11)", () => {
    const trace = neverWoke();
    const fired = trace.records.find(({ type }) => type === "canary.fired");
    const verdict = verdictOf(trace, (record) => {
      if (record.type === "canary.fired") return [];
      return record.type === "canary.armed" && fired !== undefined ? [record, fired] : [record];
    });
    expect(verdict.attribution).toMatchObject({ value: "unknown", code: "canary-fired-before-reset" });
  });

  /** Three activations fail with this error, 8 s apart; the session is read as `collect` has it. */
  const failing = (error: string, collect: (trace: TraceBuilder) => TraceBuilder) => {
    const trace = gapStart().reset("A1").quiet();
    for (const generation of [2, 3, 4])
      trace.wait(7_990).add("activation.failed", {
        activation: `A${generation}`,
        generation,
        cause: "alarm",
        error,
        because: null,
      });
    trace
      .quietEnds()
      .phase("reconnect")
      .add("client.reconnected", { ok: false, activation: null, error: "the object threw" })
      .add("wait.expired", { waitedFor: "operation op-1", boundMs: 1_000 });
    return verdictOf(collect(trace).jobs({ how: "offline", claims: CLAIMED }).end());
  };

  it("is a crash loop where activation after activation fails, with attempts, interval and last error (3.12)", () => {
    const verdict = failing("Error: the replay does not match", (trace) => trace.collect(SEEN, "offline"));
    expect(verdict.stuck).toMatchObject({
      value: "crash-loop",
      code: "activations-fail",
      crashes: {
        attempts: 3,
        intervalMs: 8_000,
        lastError: "Error: the replay does not match",
        unreadable: null,
      },
    });
    expect(verdict.findings.find(({ code }) => code === "activation-failed")?.facts.error).toMatch(/replay/);
    expect(codes(verdict)).not.toContain("schema-unreadable");
  });

  it("counts the attempts of a crash loop without those that a client makes an activation repeat", () => {
    const failed = (trace: TraceBuilder, activation: string, error: string) =>
      trace.add("activation.failed", { activation, generation: 2, cause: "alarm", error, because: null });
    const trace = gapStart().reset("A1").quiet();
    for (const [activation, generation] of [
      ["A2", 2],
      ["A3", 3],
    ] as const)
      failed(trace.wait(7_980).activated(activation, { generation }), activation, "first");
    trace
      .quietEnds()
      .phase("reconnect")
      .add("client.reconnected", { ok: false, activation: null, error: "the object threw" });
    for (let request = 0; request < 5; request++) failed(trace, "A3", "asked");
    const verdict = verdictOf(trace.collect(SEEN, "offline").jobs({ how: "offline", claims: CLAIMED }).end());
    expect(verdict.stuck.crashes).toMatchObject({ attempts: 2, intervalMs: 8_000, lastError: "first" });
    expect(verdict.session).toMatchObject({ value: "intact-not-reactivated", code: "read-offline" });
  });

  it("says no interval where a client asked for all attempts but one", () => {
    const trace = gapStart().reset("A1").quiet().wait(20_000);
    const failed = (activation: string, generation: number) =>
      trace
        .activated(activation, { generation })
        .add("activation.failed", { activation, generation, cause: "alarm", error: "again", because: null });
    failed("A2", 2).quietEnds().phase("reconnect");
    for (const activation of ["A3", "A4"]) {
      trace.add("client.reconnected", { ok: false, activation: null, error: "the object threw" });
      failed(activation, 3);
    }
    const verdict = verdictOf(trace.collect(SEEN, "offline").jobs({ how: "offline", claims: CLAIMED }).end());
    expect(verdict.stuck.crashes).toMatchObject({ attempts: 3, intervalMs: null });
  });

  it.each([
    ["SqliteError: no such table: session_v2", "schema-unreadable", "table session_v2"],
    ["Error: no such column: time_suspended: SQLITE_ERROR", "schema-unreadable", "column time_suspended"],
    ["Error: migration 20260622_reset failed", "schema-unreadable", "migration 20260622_reset"],
    ["Error: cannot read table session_v1: its layout is unknown", "schema-unreadable", "table session_v1"],
    [
      "SQLITE_CORRUPT: database disk image is malformed",
      "store-unreadable",
      "database disk image is malformed",
    ],
  ])(
    "tells a store that cannot be read from a recovery that fails, and calls no session lost: %s",
    (error, code, what) => {
      const verdict = failing(error, (trace) => trace.collect([], "offline"));
      expect(verdict.stuck).toMatchObject({ value: "crash-loop", code, crashes: { unreadable: what } });
      expect(verdict.findings.find((one) => one.code === code)?.facts).toEqual({ what, error });
      expect(verdict.session).toMatchObject({ value: "unknown", code });
    },
  );

  it("calls a session lost that the object reads as empty, once it had come to terms with its storage", () => {
    const error = "SqliteError: no such table: session_v2";
    const verdict = failing(error, (trace) =>
      trace.activated("A5", { generation: 5 }).collect([ev(0, "session.prompt.admitted")]),
    );
    expect(verdict.session.code).not.toBe("schema-unreadable");
    expect(codes(verdict)).not.toContain("schema-unreadable");
  });

  it("takes no log that is not offered for a sign that the object was read", () => {
    const error = "Error: table `project` already exists";
    const verdict = failing(error, (trace) =>
      trace.log([], { offered: false }).add("snapshot.transcript", {
        ...{ how: "object", when: "collect", session: "ses_root", messages: [], pending: [] },
        error: "fetch failed",
      }),
    );
    expect(verdict.session).toMatchObject({ value: "unknown", code: "schema-unreadable" });
    expect(verdict.findings.find(({ code }) => code === "schema-unreadable")?.facts.what).toBe(
      "table project",
    );
  });

  it("says that a cursor of before points into other events where the log began anew", () => {
    const anew = [ev(0, "session.prompt.admitted"), ev(1, "session.execution.started")];
    const verdict = verdictOf(clean(), (record) =>
      record.type === "snapshot.log" && record.when === "collect"
        ? [{ ...record, events: anew, synced: 1 }]
        : [record],
    );
    expect(verdict.session).toMatchObject({ value: "lost", code: "log-restarted" });
    const aliased = verdict.findings.find(({ code }) => code === "log-cursor-aliased");
    expect(aliased?.facts).toMatchObject({ seq: 0, is: "session.prompt.admitted" });
    expect(codes(verdictOf(clean()))).not.toContain("log-cursor-aliased");
  });
});

describe("counts and causes", () => {
  const causes = ({ repeats }: Verdict) => repeats.map(({ attempt, cause }) => [attempt, cause]);

  it("are sought in the answer that asked for two calls at once (4.1)", () => {
    const trace = close(
      gapStart({ factors: { destination: "append" } })
        .reset("A1")
        .quiet()
        .wait(WAKE_MS)
        .activated("A2", { generation: 2, cause: "alarm" })
        .turn(2, "A2", ["c2", "c3"], SHOWN_ERROR)
        .attempt(2, "A2", "c2", { generation: 2, key: KEY })
        .commit(2, "e2", { key: KEY })
        .send(2, "e2")
        .attempt(3, "A2", "c3", { generation: 2, key: KEY })
        .commit(3, "e3", { key: KEY })
        .send(3, "e3")
        .turn(3, "A2", []),
      [...WHOLE.slice(0, -1), ev(7, CALLED, "c3"), ev(8, SUCCESS, "c3"), ev(9, SUCCEEDED)],
    );
    expect(causes(verdictOf(trace))).toEqual([
      [2, "model-reissue"],
      [3, "model-reissue"],
    ]);
  });

  it("are the attempt's own where two owners act by turns (4.2)", () => {
    const trace = close(
      gapStart({ factors: { destination: "append" } })
        .reset("A1")
        .quiet()
        .wait(WAKE_MS)
        .activated("A2", { generation: 2, cause: "alarm" })
        .turn(2, "A2", ["c2"], SHOWN_ERROR)
        .turn(3, "A1", ["c3"])
        .attempt(2, "A2", "c2", { generation: 2, key: KEY })
        .commit(2, "e2", { key: KEY })
        .send(2, "e2")
        .attempt(3, "A1", "c3", { key: KEY })
        .commit(3, "e3", { key: KEY })
        .send(3, "e3")
        .turn(4, "A2", []),
    );
    const verdict = verdictOf(trace);
    expect(causes(verdict)).toContainEqual([2, "model-reissue"]);
    expect(causes(verdict)).toContainEqual([3, "model-reissue"]);
    expect(causes(verdict)).toContainEqual([3, "concurrent-owner"]);
  });

  it("has a conflict where one key comes with another payload (4.3)", () => {
    const verdict = verdictOf(
      clean(),
      edit("attempt.received", { payloadSha256: "1".repeat(64) }, ({ attempt }) => attempt === 2),
    );
    expect(verdict.operations[0]?.flags).toEqual(["conflict"]);
    expect(codes(verdict)).toEqual(["payload-conflict"]);
  });

  it("has a conflict where a repeat under another key gets the first one's effect (4.3)", () => {
    const verdict = verdictOf(
      clean(),
      edit("attempt.received", { key: "K2" }, ({ attempt }) => attempt === 2),
    );
    expect(verdict.operations[0]?.flags).toContain("conflict");
    expect(codes(verdict)).toContain("key-conflict");
  });

  it("is unresolved where the last answer says otherwise than the recorded outcome (4.4)", () => {
    const verdict = verdictOf(
      clean(),
      edit(
        "model.answered",
        { text: 'I cannot tell.\n\n{"claim":"unknown","receipt":null}' },
        (r) => r.call === 3,
      ),
    );
    expect(verdict.operations[0]?.flags).toEqual(["unresolved"]);
    expect(codes(verdict)).toContain("claim-contradicts-answer");
  });

  it("names the attempt that stays open (4.5)", () => {
    const trace = gapStart({ factors: { point: "before-commit", heldAttempt: "committed-late" } });
    const verdict = verdictOf(
      close(
        trace
          .reset("A1")
          .quiet()
          .wait(WAKE_MS)
          .activated("A2", { generation: 2, cause: "alarm" })
          .turn(2, "A2", ["c2"], SHOWN_ERROR)
          .attempt(2, "A2", "c2", { generation: 2, key: KEY })
          .commit(2, "e1", { key: KEY })
          .send(2, "e1")
          .turn(3, "A2", []),
      ),
      (record) =>
        (record.type === "effect.committed" || record.type === "receipt.withheld") && record.attempt === 1
          ? []
          : record.type === "trial.ended"
            ? [{ ...record, openAttempts: [1] }]
            : [record],
    );
    expect(verdict.validity.value).toBe("valid");
    expect(verdict.attribution).toMatchObject({ value: "unknown", code: "attempt-open" });
  });

  it("is the caller's where the intention comes again under a new operation id (4.6)", () => {
    const verdict = verdictOf(
      clean(),
      insert(
        "subject.activated",
        () => [
          {
            type: "operation.submitted",
            source: "controller",
            operationId: "op-2",
            session: "ses_root",
            purpose: "again",
            accepted: true,
            error: null,
          },
        ],
        ({ generation }) => generation === 2,
      ),
    );
    expect(causes(verdict)).toContainEqual([2, "caller-resubmit"]);
  });

  it("has a stale look-up where one finds nothing after the commit (4.7)", () =>
    expect(
      codes(
        verdictOf(
          clean(),
          insert(
            "subject.activated",
            () => [
              {
                type: "entry.read",
                source: "ledger",
                action: "ticket",
                key: KEY,
                found: false,
                effects: [],
                activation: "A2",
                session: "ses_root",
                call: "c2",
              },
            ],
            ({ generation }) => generation === 2,
          ),
        ),
      ),
    ).toContain("entry-read-stale"));

  it("are found by reading that grows with the attempts alone (4.10)", () => {
    const many = (attempts: number) => {
      const trace = gapStart({ factors: { destination: "append" } })
        .reset("A1")
        .quiet()
        .wait(WAKE_MS)
        .activated("A2", { generation: 2, cause: "alarm" });
      for (let attempt = 2; attempt <= attempts; attempt++)
        trace
          .turn(attempt, "A2", [`c${attempt}`])
          .attempt(attempt, "A2", `c${attempt}`, { generation: 2, key: KEY })
          .commit(attempt, `e${attempt}`, { key: KEY })
          .send(attempt, `e${attempt}`);
      return close(trace.turn(attempts + 1, "A2", [])).toParsed();
    };
    // Counted and not timed: how long it takes is the machine's affair too. What compares all with all reads as often.
    const readsOf = (parsed: ReturnType<typeof many>) => {
      let reads = 0;
      const records = parsed.records.map(
        (record) =>
          new Proxy(record, {
            get(target, name) {
              reads += 1;
              return Reflect.get(target, name);
            },
          }),
      );
      expect(judge({ ...parsed, records })).toEqual(judge(parsed));
      return reads;
    };
    const [few, lots] = [readsOf(many(500)), readsOf(many(2_000))];
    // Of each attempt's six records some fields.
    expect(few).toBeGreaterThan(500 * 6);
    // Four times the attempts: sixteen times as many where all are compared with all.
    expect(lots / few).toBeLessThan(4.5);
  });
});

describe("what a trace is labelled with", () => {
  it("is contradicted by activations of another host than the run announced (5.5)", () => {
    const sdk = buildEnvironment({ host: { kind: "sdk", name: "opencode", version: "2.0.24" } });
    const verdict = verdictOf(clean(), edit("trial.started", { environment: sdk }));
    expect(reasons(verdict)).toContain("host-contradicted");
  });
});

describe("what a trace has for a sceptic", () => {
  const readOn = (events: readonly LogEvent[]) =>
    verdictOf(
      clean(),
      insert("client.reconnected", () => [
        {
          type: "snapshot.log",
          source: "controller",
          how: "object",
          when: "reconnect",
          session: "ses_root",
          offered: true,
          after: 3,
          events: [...events],
          synced: 7,
          gaps: [],
          duplicates: [],
          unreadable: 0,
          error: null,
        },
      ]),
    );

  it("reads the log on from the cursor of before the reset", () => {
    const { transcript, findings } = readOn(WHOLE.slice(4));
    expect(transcript.readOn).toEqual({ after: 3, events: 4, repaired: [], missing: [], reordered: [] });
    expect(findings).toEqual([]);
  });

  it("tells a hole that the whole log repairs from events that it lacks or has otherwise", () => {
    expect(readOn([...WHOLE.slice(4, 5), ...WHOLE.slice(6)]).transcript.readOn?.repaired).toEqual([5]);
    const strange = readOn([...WHOLE.slice(4, 7), ev(7, "session.execution.failed"), ev(9, SUCCEEDED)]);
    expect(strange.transcript.readOn).toMatchObject({ missing: [9], reordered: [7] });
    expect(codes(strange)).toContain("log-read-on-differs");
  });

  it("sees by its content that an event of before the reset is another one", () => {
    const hashed = (record: JournalRecord) =>
      record.type === "snapshot.log"
        ? [
            {
              ...record,
              events: record.events.map((event) => ({
                ...event,
                hash: (event.seq === 1 && record.when === "collect" ? "f" : "0").repeat(16),
              })),
            },
          ]
        : [record];
    expect(verdictOf(clean(), hashed).session).toMatchObject({
      value: "restored-damaged",
      code: "events-changed",
    });
  });

  it("names a table that is gone or made otherwise since the look", () => {
    const schema = (tables: object[], when: string) => ({
      type: "snapshot.schema",
      source: "controller",
      how: "object",
      when,
      tables,
      indexes: [],
      error: null,
    });
    const before = [
      { name: "event", rows: 1, sql: "0".repeat(16) },
      { name: "session", rows: 1 },
    ];
    const verdict = verdictOf(
      clean(),
      insert("snapshot.jobs", () => [schema(before, "look")]),
    );
    expect(verdict.findings).toMatchObject([{ code: "schema-differs", facts: { gone: "session" } }]);
  });
});
