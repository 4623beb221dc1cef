/** Turns of a single axis that the case traces do not show, each a small change of one of them. */
import { describe, expect, it } from "vitest";
import type { JournalRecord, RecordType } from "../trace/records.ts";
import { afterAnswer, lateCommit, neverResumes, replayWithoutLog } from "./cases/further-traces.ts";
import { t01, t02, t03, t04, t05, t06, t08 } from "./cases/traces.ts";
import { judge } from "./judge.ts";
import { parsedFrom, type TraceBuilder } from "./testing/trace-builder.ts";
import type { Verdict } from "./verdict.ts";

/** The verdict after each record of `type` that `which` picks was replaced by what `change` gives for it. */
function judgeWith<T extends RecordType>(
  trace: TraceBuilder,
  type: T,
  change: (record: JournalRecord<T>) => readonly JournalRecord[],
): Verdict {
  const records = trace.records
    .flatMap((record) => (record.type === type ? change(record as JournalRecord<T>) : [record]))
    .map((record, index) => ({ ...record, seq: index + 1 }));
  return judge(parsedFrom(records, trace.spec, trace.environment));
}

const patch =
  <T extends RecordType>(
    fields: Partial<JournalRecord<T>>,
    which: (record: JournalRecord<T>) => boolean = () => true,
  ) =>
  (record: JournalRecord<T>): JournalRecord[] => [
    which(record) ? ({ ...record, ...fields } as JournalRecord) : record,
  ];

const second = (record: JournalRecord<"subject.activated">) => record.generation === 2;

const isReset = (record: JournalRecord) => record.type === "reset.performed";

describe("the session", () => {
  it("is damaged when events cannot be read", () =>
    expect(judgeWith(t02(), "snapshot.log", patch({ unreadable: 1 })).session).toMatchObject({
      value: "restored-damaged",
      code: "events-unreadable",
    }));
  it("is damaged when events appear twice", () =>
    expect(judgeWith(t02(), "snapshot.log", patch({ duplicates: [3] })).session.code).toBe("events-doubled"));
  it("is damaged when a table cannot be read", () =>
    expect(
      judgeWith(
        t02(),
        "snapshot.schema",
        patch({ tables: [{ name: "event", rows: null, error: "malformed" }] }),
      ).session.value,
    ).toBe("restored-damaged"));
  it("is damaged when events of before the reset are gone", () =>
    expect(
      judgeWith(t01(), "snapshot.log", (record) => [
        record.when === "look"
          ? { ...record, events: [...record.events, { seq: 8, type: "session.renamed" }], synced: 8 }
          : record,
      ]).session,
    ).toMatchObject({ value: "restored-damaged", code: "events-missing" }));
  it.each(["snapshot.schema", "snapshot.transcript"] as const)("is unknown without %s", (type) => {
    expect(judgeWith(t02(), type, () => []).session.value).toBe("unknown");
    expect(judgeWith(t02(), type, patch({ error: "closed" } as Partial<JournalRecord>)).session.value).toBe(
      "unknown",
    );
  });
  it("is unknown when the marker is gone and the log goes on all the same", () =>
    expect(judgeWith(t01(), "subject.activated", patch({ marker: null }, second)).session).toMatchObject({
      value: "unknown",
      code: "marker-gone-but-log-continues",
    }));
  it("is unknown when the marker is another one", () =>
    expect(judgeWith(t02(), "subject.activated", patch({ marker: "M-1" }, second)).session.value).toBe(
      "unknown",
    ));
  it("is lost when nothing of the log is left", () =>
    expect(
      judgeWith(t01(), "snapshot.log", (record) => [
        record.when === "collect"
          ? { ...record, events: record.events.map((event) => ({ ...event, type: "session.viewed" })) }
          : record,
      ]).session,
    ).toMatchObject({ value: "lost", code: "log-restarted" }));
  it("is unknown when nobody came back and the storage was not read", () =>
    expect(judgeWith(t05(), "snapshot.log", patch({ how: "object" })).session).toMatchObject({
      value: "unknown",
      code: "not-read-offline",
    }));
  it("without a log is told by the messages when the operation was not asked for again", () => {
    const kept = replayWithoutLog();
    const messages = [{ id: "msg_1", type: "user" }];
    const index = kept.records.findIndex((record) => record.type === "snapshot.transcript");
    const read = kept.records[index] as JournalRecord<"snapshot.transcript">;
    kept.records[index] = { ...read, messages };
    expect(
      judgeWith(kept, "operation.submitted", (r) => (r.purpose === "again" ? [] : [r])).session.code,
    ).toBe("transcript-kept");
    expect(
      judgeWith(replayWithoutLog(), "operation.submitted", (r) => (r.purpose === "again" ? [] : [r])).session,
    ).toMatchObject({ value: "unknown", code: "log-not-offered" });
  });
});

describe("the executor", () => {
  it("is without state when the generation counter began anew", () =>
    expect(judgeWith(t02(), "subject.activated", patch({ generation: 1 })).executor).toMatchObject({
      value: "replacement-without-state",
      code: "generation-restarted",
    }));
  it("cannot be told when the new activation did not report itself, and says so", () => {
    const verdict = judgeWith(t02(), "subject.activated", (record) => (second(record) ? [] : [record]));
    expect(verdict.executor).toMatchObject({ value: "indistinguishable", code: "subject.activated" });
    expect(verdict.findings).toContainEqual(
      expect.objectContaining({ code: "observation-missing", facts: { missing: "subject.activated" } }),
    );
  });
  it("cannot be told when a further activation acted that did not report itself", () => {
    const verdict = judgeWith(t02(), "client.reconnected", patch({ activation: "A3" }));
    expect(verdict.executor).toMatchObject({ value: "indistinguishable", code: "subject.activated" });
    expect(verdict.findings.map(({ code }) => code)).toContain("activation-unrecorded");
  });
  it("cannot be told without the marker", () =>
    expect(judgeWith(t02(), "marker.written", () => []).executor).toMatchObject({
      value: "indistinguishable",
      code: "marker.written",
    }));
  it("cannot be told when the second submission failed", () =>
    expect(
      judgeWith(
        t02(),
        "operation.submitted",
        patch({ accepted: null, error: "closed" }, ({ purpose }) => purpose === "again"),
      ).session,
    ).toMatchObject({ value: "unknown", code: "operation-not-asked-again" }));
  it("is not a process that is proven dead", () =>
    expect(
      judgeWith(t02(), "subject.activated", (record) => (second(record) ? [] : [record])).executor.value,
    ).not.toBe("same"));
  it("is nobody when the object only says that it knows no such operation", () =>
    expect(
      judgeWith(t02(), "operation.settled", patch({ status: "unanswered", reason: "not_found" })).executor
        .value,
    ).toBe("none"));
  it("is whoever did the work, whenever its record came", () =>
    expect(
      judgeWith(t02(), "subject.activated", (record) =>
        second(record)
          ? [
              { ...record, activation: "A3", generation: 3 },
              { ...record, late: true, marker: null },
            ]
          : [record],
      ).executor.value,
    ).toBe("replacement-without-state"));
});

describe("the execution", () => {
  it("is ended without work when the subject only says that it is done", () => {
    const lying = t06();
    const records = lying.records
      .filter(({ type, seq }) => !(type.startsWith("model.") && seq > lying.records.findIndex(isReset)))
      .map((record, index) => ({ ...record, seq: index + 1 }));
    const verdict = judge(parsedFrom(records, lying.spec, lying.environment));
    expect(verdict.validity.value).toBe("valid");
    expect(verdict.execution).toMatchObject({ value: "settled-by-policy", code: "settled-without-work" });
    expect(verdict.operations[0]).toMatchObject({ attempts: 1, effects: 0, flags: ["lost"] });
    expect(verdict.attribution).toMatchObject({ value: "host", code: "claim-without-effect" });
  });
  it("is not resumed by the work of the later probe", () => {
    const probed = neverResumes();
    const submitted = probed.records.findIndex(
      (record) => record.type === "operation.submitted" && record.purpose === "again",
    );
    const tail = probed.records.splice(submitted + 1);
    probed.add("probe.submitted", {
      operationId: "probe-1",
      session: "ses_root",
      accepted: true,
      error: null,
    });
    probed.turn(2, "A2", []).add("wait.expired", { waitedFor: "probe", boundMs: 1 });
    for (const record of tail) probed.records.push({ ...record, seq: probed.records.length + 1 });
    const verdict = judge(probed.toParsed());
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict.execution.value).toBe("not-resumed");
  });
  it("is resumed by a request that names no activation but tells of the restart", () =>
    expect(
      judgeWith(
        t06(),
        "model.requested",
        patch({ activation: null }, ({ call }) => call === 2),
      ).execution.value,
    ).toBe("resumed"));
  it("is not resumed by what the old activation still sends", () =>
    expect(
      judgeWith(
        t06(),
        "model.requested",
        patch({ activation: "A1" }, ({ call }) => call === 2),
      ).execution.value,
    ).not.toBe("resumed"));
});

describe("waking alone", () => {
  it("is unknown when the quiet interval was not recorded", () => {
    const notRecorded = { value: "unknown", code: "quiet-not-recorded" };
    expect(judgeWith(t02(), "quiet.started", () => []).autonomous).toMatchObject(notRecorded);
    expect(judgeWith(t02(), "quiet.ended", () => []).autonomous).toMatchObject(notRecorded);
  });
  it("is unknown when the object was touched in the quiet interval", () =>
    expect(
      judgeWith(t02(), "quiet.ended", (record) => [
        { ...record, type: "client.reconnected", ok: true, activation: null, error: null } as JournalRecord,
        record,
      ]).autonomous,
    ).toMatchObject({ value: "unknown", code: "quiet-broken" }));
  it("is unknown when a request woke it that nobody recorded", () =>
    expect(judgeWith(t02(), "subject.activated", patch({ cause: "fetch" }, second)).autonomous.code).toBe(
      "woken-by-unrecorded-request",
    ));
  describe("under a load that holds beacons up", () => {
    /** The object does nothing but report itself, after the quiet interval; `subjectAt` is its own time. */
    const beaconAfterQuiet = (fields: Partial<JournalRecord<"subject.activated">>) => {
      const own = (record: JournalRecord) => "activation" in record && record.activation === "A2";
      const records = t02().records.filter((record) => !own(record) || record.type === "subject.activated");
      const quiet = records.findIndex(({ type }) => type === "quiet.ended");
      const beacon = records.find((record) => own(record)) as JournalRecord<"subject.activated">;
      const before = records.slice(0, quiet + 1).filter((record) => record !== beacon);
      const late = { ...beacon, at: (before.at(-1)?.at ?? 0) + 5, ...fields };
      const moved = [...before, late, ...records.slice(quiet + 1).filter((record) => record !== beacon)];
      return judge(
        parsedFrom(
          moved.map((record, index) => ({ ...record, seq: index + 1 }) as JournalRecord),
          t02().spec,
        ),
      ).autonomous;
    };
    /** What the first beacon took, which the two clocks are held against. */
    const TRAVEL_MS = 10;
    // Where no death of the process was recorded, its reset is dated by the request.
    const lostAt = t02().records.find(({ type }) => type === "reset.requested")?.at ?? 0;

    it("is seen by the object's own time, where the beacon comes after the quiet interval", () =>
      expect(beaconAfterQuiet({ subjectAt: lostAt + 29_000 - TRAVEL_MS })).toMatchObject({
        value: "yes",
        wokeAfterMs: 29_000,
      }));
    it("is not seen where the object's own time lies after the quiet interval too", () =>
      expect(beaconAfterQuiet({ subjectAt: lostAt + 60_000 })).toMatchObject({
        value: "no",
        code: "client-came-first",
      }));
  });
  it("does not apply when nothing was owed", () =>
    expect(judge(afterAnswer().toParsed()).autonomous).toMatchObject({
      value: "not-applicable",
      wokeAfterMs: null,
    }));
});

it("the marker is not gone where the beacon of the activation that wrote it is taken afterwards", () => {
  const { records, spec } = t04();
  const beacon = records.find(({ type }) => type === "subject.activated") as JournalRecord;
  const others = records.filter((record) => record !== beacon);
  const written = others.findIndex(({ type }) => type === "marker.written");
  const moved = [...others.slice(0, written + 3), beacon, ...others.slice(written + 3)];
  const verdict = judge(
    parsedFrom(
      moved.map((record, index) => ({ ...record, seq: index + 1 }) as JournalRecord),
      spec,
    ),
  );
  expect(verdict.findings.map(({ code }) => code)).not.toContain("marker-gone");
  expect(verdict.session.value).not.toBe("lost");
});

describe("being stuck", () => {
  it("is unknown when the jobs were not read at the end", () => {
    const notRead = { value: "unknown", code: "jobs-not-read" };
    expect(judgeWith(t02(), "snapshot.jobs", () => []).stuck).toMatchObject(notRead);
    expect(judgeWith(t02(), "snapshot.jobs", patch({ error: "closed" })).stuck).toMatchObject(notRead);
    expect(judgeWith(t05(), "snapshot.jobs", patch({ when: "quiet" })).stuck).toMatchObject(notRead);
  });
  it("is not what waits for an alarm that is set", () =>
    expect(judgeWith(t05(), "snapshot.jobs", patch({ alarmAt: 100_000 })).stuck).toMatchObject({
      value: "no",
      code: "work-scheduled",
    }));
  it("is overdue when the alarm that is set was due long before the end", () =>
    expect(judgeWith(t05(), "snapshot.jobs", patch({ alarmAt: 5_000 })).stuck).toMatchObject({
      value: "overdue",
      code: "alarm-overdue",
    }));
  it("is unknown when the alarm could not be read", () =>
    expect(judgeWith(t05(), "snapshot.jobs", patch({ alarmUnknown: true })).stuck.value).toBe("unknown"));
  it("is what holds a claim that nobody will work off, even when the operation has its answer", () =>
    expect(
      judgeWith(
        t02(),
        "snapshot.jobs",
        patch({ claims: [{ session: "ses_root", claimedAt: 1, resumeAttempts: 1 }] }),
      ).stuck,
    ).toMatchObject({ value: "yes", code: "claim-held-nothing-scheduled" }));
  it("is not put on the harness when the canary fired before the reset", () => {
    const early = t05();
    const index = early.records.findIndex((record) => record.type === "canary.fired");
    const [fired] = early.records.splice(index, 1);
    const armed = early.records.findIndex((record) => record.type === "canary.armed");
    if (fired !== undefined) early.records.splice(armed + 1, 0, fired);
    const verdict = judgeWith(early, "canary.fired", (record) => [record]);
    expect(verdict.validity.value).toBe("valid");
    expect(verdict.stuck.value).toBe("yes");
    expect(verdict.attribution).toMatchObject({ value: "unknown", code: "canary-fired-before-reset" });
  });
});

describe("flags", () => {
  const flags = (verdict: Verdict) => verdict.operations[0]?.flags;
  it.each([
    ["committed", ["ok"]],
    ["unknown", ["unresolved"]],
    ["none", ["unresolved"]],
    ["not-committed", ["unresolved"]],
  ] as const)("with one effect and the claim '%s'", (claim, expected) =>
    expect(flags(judgeWith(t03(), "operation.settled", patch({ claim: { claim, receipt: null } })))).toEqual(
      expected,
    ),
  );
  it.each([
    ["committed", ["lost"]],
    ["unknown", ["unresolved"]],
    ["none", ["unresolved"]],
    ["not-committed", ["ok"]],
  ] as const)("with no effect and the claim '%s'", (claim, expected) =>
    expect(flags(judgeWith(t06(), "operation.settled", patch({ claim: { claim, receipt: null } })))).toEqual(
      expected,
    ),
  );
  it("are both duplicate and unresolved when the answer does not say", () =>
    expect(
      flags(judgeWith(t01(), "operation.settled", patch({ claim: { claim: "unknown", receipt: null } }))),
    ).toEqual(["duplicate", "unresolved"]));
  it("do not call an effect lost while an attempt is open", () => {
    const open = judgeWith(t06(), "attempt.rejected", () => []);
    expect(open.validity.value).toBe("invalid");
    const listed = t06();
    listed.records.splice(-1, 1, { ...listed.records.at(-1), openAttempts: [1] } as JournalRecord);
    const verdict = judgeWith(listed, "attempt.rejected", () => []);
    expect(verdict.validity.value).toBe("valid");
    expect(flags(verdict)).toEqual(["unresolved"]);
    expect(verdict.openAttempts).toEqual([1]);
  });
  it("let the last of several outcomes count", () => {
    const settled = judge(t08().toParsed());
    expect(settled.executor.value).not.toBe("none");
    expect(flags(settled)).toEqual(["duplicate"]);
  });
  it("count an action that nobody intended as a duplicate of nothing", () => {
    const stray = t04();
    const verdict = judgeWith(stray, "trial.started", (record) => [
      { ...record, spec: { ...record.spec, intended: [{ action: "ticket", key: null, effects: 1 }] } },
    ]);
    // The header says otherwise now; read the same records under the new spec.
    expect(verdict.validity.value).toBe("invalid");
    const spec = { ...stray.spec, intended: [{ action: "ticket", key: null, effects: 1 }] };
    const records = stray.records.map((record) =>
      record.type === "trial.started" ? { ...record, spec } : record,
    );
    expect(judge(parsedFrom(records, spec, stray.environment)).operations).toMatchObject([
      { action: "ticket", intended: 1, attempts: 0, effects: 0, flags: ["lost"] },
      { action: "email", intended: 0, attempts: 2, effects: 2, flags: ["duplicate"] },
    ]);
  });
});

describe("causes of repeats", () => {
  const causes = (verdict: Verdict) => verdict.repeats.map(({ cause }) => cause);
  it("do not blame the runtime when an unrecorded answer may have asked again", () =>
    expect(
      causes(
        judgeWith(replayWithoutLog(), "quiet.started", (record) => [
          record,
          {
            ...record,
            type: "model.requested",
            source: "ledger",
            call: 2,
            purpose: "turn",
            ordinal: 2,
            activation: null,
            session: null,
            messages: 1,
            results: [],
            restartNotice: false,
            tokens: 1,
          } as unknown as JournalRecord,
        ]),
      ),
    ).toEqual(["unknown"]));
  it("are a replay, not a retry, when the object was replaced after the first answer", () =>
    expect(
      causes(
        judgeWith(replayWithoutLog(), "receipt.withheld", (record) => [
          record,
          { ...record, type: "receipt.sent", receipt: "r-e1" } as JournalRecord,
        ]),
      ),
    ).toEqual(["runtime-replay"]));
  it("stay unknown for nested calls of one program, which share its id", () =>
    expect(
      causes(
        judgeWith(t04(), "snapshot.log", (record) => [
          { ...record, events: record.events.map((event) => ({ ...event, wrapped: true })) },
        ]),
      ),
    ).toEqual(["unknown"]));
  it("stay unknown for another call that no recorded answer asked for", () =>
    expect(
      causes(
        judgeWith(
          t04(),
          "attempt.received",
          patch({ call: "c7" }, ({ attempt }) => attempt === 2),
        ),
      ),
    ).toEqual(["unknown"]));
  describe("of attempts that name neither call nor activation, as an agent's own tool makes them", () => {
    const nameless = patch<"attempt.received">({ call: null, activation: null, generation: null });
    it("are an asking anew, where the model asked for another call in between", () => {
      const verdict = judgeWith(t01(), "attempt.received", nameless);
      expect(causes(judge(t01().toParsed()))).toEqual(["model-reissue"]);
      expect(causes(verdict)).toEqual(["model-reissue"]);
      expect(verdict.told).toEqual(judge(t01().toParsed()).told);
    });
    it("are a replay, where it did not", () =>
      expect(causes(judgeWith(replayWithoutLog(), "attempt.received", nameless))).toEqual([
        "runtime-replay",
      ]));
    it("are a replay, where no model has a part in it", () => {
      const trace = replayWithoutLog();
      const without = trace.records.filter(({ type }) => !type.startsWith("model."));
      trace.records.splice(0, trace.records.length, ...without);
      expect(causes(judgeWith(trace, "attempt.received", nameless))).toEqual(["runtime-replay"]);
    });
  });
  it("are not sought for attempts that the scenario intends", () => {
    const two = lateCommit();
    const spec = { ...two.spec, intended: [{ action: "ticket", key: null, effects: 2 }] };
    const records = two.records.map((record) =>
      record.type === "trial.started" ? { ...record, spec } : record,
    );
    const verdict = judge(parsedFrom(records, spec, two.environment));
    expect(causes(verdict)).toEqual([]);
    expect(verdict.operations[0]?.flags).toEqual(["ok"]);
  });
});
