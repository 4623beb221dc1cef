/** Each gate, by a trace that is whole but for the one thing that the gate is there for. */
import { describe, expect, it } from "vitest";
import type { JournalRecord, RecordType } from "../../trace/records.ts";
import { t01, t02, t03, t04, t05, t08 } from "../cases/traces.ts";
import { explain } from "../explain.ts";
import { judge } from "../judge.ts";
import { parsedFrom, type TraceBuilder } from "../testing/trace-builder.ts";

type Change = (record: JournalRecord) => JournalRecord[];

/** The verdict's reasons after `change` was applied to every record and the rest was numbered again. */
function reasons(trace: TraceBuilder, change: Change): string[] {
  const records = trace.records.flatMap(change).map((record, index) => ({ ...record, seq: index + 1 }));
  const [started] = records;
  const spec = started?.type === "trial.started" ? started.spec : trace.spec;
  const { validity } = judge(parsedFrom(records, spec, trace.environment));
  expect(validity.value).toBe(validity.reasons.length === 0 ? "valid" : "invalid");
  for (const reason of validity.reasons) expect(explain(reason)).not.toContain("undefined");
  return validity.reasons.map(({ code }) => code);
}

const without =
  (type: RecordType, which: (record: JournalRecord) => boolean = () => true): Change =>
  (record) =>
    record.type === type && which(record) ? [] : [record];

const edit =
  <T extends RecordType>(type: T, fields: Partial<JournalRecord<T>>): Change =>
  (record) =>
    record.type === type ? [{ ...record, ...fields } as JournalRecord] : [record];

const twice =
  (type: RecordType): Change =>
  (record) =>
    record.type === type ? [record, record] : [record];

describe("the end of the journal", () => {
  it("passes a whole trial", () => expect(reasons(t02(), (record) => [record])).toEqual([]));
  it("is demanded", () => expect(reasons(t02(), without("trial.ended"))).toEqual(["end-missing"]));
  it("is demanded once", () => expect(reasons(t02(), twice("trial.ended"))).toContain("ended-twice"));
  it("must be the last record", () => {
    const late = t02();
    late.add("quiet.ended", {});
    expect(reasons(late, (record) => [record])).toEqual(["records-after-end"]);
  });
  it.each(["point-not-reached", "reset-not-performed", "submit-failed", "cancelled", "error"] as const)(
    "takes over why the trial stopped: %s",
    (reason) => {
      expect(reasons(t02(), edit("trial.ended", { reason }))).toEqual([reason]);
    },
  );
});

describe("a trial that stopped early", () => {
  /** T01 up to, and without, what `type` begins. */
  const upTo = (type: RecordType, reason: JournalRecord<"trial.ended">["reason"]) => {
    const trace = t01();
    const index = trace.records.findIndex((record) => record.type === type);
    trace.records.splice(index);
    return trace.end({ reason });
  };

  it("is invalid for having stopped, not for what could not follow", () =>
    expect(reasons(upTo("hold.reached", "point-not-reached"), (record) => [record])).toEqual([
      "point-not-reached",
    ]));
  it("is not blamed on a canary that had no time to fire", () => {
    const trace = upTo("quiet.started", "cancelled");
    expect(judge(trace.toParsed()).attribution).toMatchObject({ value: "unknown", code: "cancelled" });
  });
  it("claims nothing for what may only not have happened yet", () => {
    const { executor, execution, autonomous, operations } = judge(
      upTo("subject.activated", "cancelled").toParsed(),
    );
    expect([executor.value, autonomous.value, operations[0]?.flags]).toEqual([
      "unknown",
      "not-applicable",
      ["unknown"],
    ]);
    expect(execution.value).toBe("not-interrupted");
    const killed = t05();
    killed.records.splice(-1, 1, { ...killed.records.at(-1), reason: "cancelled" } as JournalRecord);
    const verdict = judge(killed.toParsed());
    for (const axis of [verdict.execution, verdict.executor, verdict.autonomous, verdict.stuck])
      expect(axis).toMatchObject({ value: "unknown", code: "trial-stopped" });
    expect(verdict.operations[0]?.flags).toEqual(["unknown"]);
  });
  it("still counts too many effects", () => {
    const stopped = t01();
    stopped.records.splice(-1, 1, { ...stopped.records.at(-1), reason: "cancelled" } as JournalRecord);
    expect(judge(stopped.toParsed()).operations[0]?.flags).toEqual(["duplicate"]);
  });
  it("says also that the reset was refused", () => {
    const trace = upTo("reset.performed", "reset-not-performed");
    const ended = trace.records.pop();
    trace.add("reset.refused", { reset: "abort", ordinal: 1, mechanism: "ctx.abort()", error: "not here" });
    if (ended !== undefined) trace.records.push({ ...ended, seq: ended.seq + 1 });
    expect(reasons(trace, (record) => [record])).toEqual(["reset-not-performed", "reset-refused"]);
  });
  it("says also that another host ran", () =>
    expect(
      reasons(
        upTo("hold.reached", "error"),
        edit("subject.activated", { host: { kind: "sdk", name: "opencode", version: "2" } }),
      ),
    ).toEqual(["error", "host-mismatch"]));
});

describe("the point", () => {
  it("must have been reached", () =>
    expect(reasons(t01(), without("hold.reached"))).toEqual(["point-not-reached"]));
  it("must have been the spec's", () =>
    expect(reasons(t01(), edit("hold.reached", { hold: { point: "before-commit", occurrence: 1 } }))).toEqual(
      ["point-not-reached"],
    ));
  it("must agree with the attempt it names", () =>
    expect(
      reasons(t03(), (record) => {
        if (record.type !== "trial.started") {
          return record.type === "hold.reached"
            ? [{ ...record, hold: { point: "after-commit", occurrence: 1 } }]
            : [record];
        }
        const spec = { ...record.spec, factors: { ...record.spec.factors, point: "after-commit" as const } };
        return [{ ...record, spec }];
      }),
    ).toEqual(["point-contradicted"]));

  describe("at which work is accepted", () => {
    const accepted: Change = (record) =>
      record.type === "trial.started"
        ? [
            {
              ...record,
              spec: { ...record.spec, factors: { ...record.spec.factors, point: "accepted" as const } },
            },
          ]
        : [record];
    const both =
      (one: Change, other: Change): Change =>
      (record) =>
        one(record).flatMap(other);
    const isFirst = (record: JournalRecord) =>
      record.type === "operation.submitted" && record.purpose === "first";

    it("needs the subject's word that it accepted", () =>
      expect(
        reasons(
          t01(),
          both(accepted, (record) =>
            record.type === "operation.submitted" && isFirst(record)
              ? [{ ...record, accepted: null }]
              : [record],
          ),
        ),
      ).toContain("point-not-reached"));
    it("is contradicted by an answer of the model before the reset", () =>
      expect(reasons(t01(), accepted)).toContain("point-contradicted"));
    it("stands where the model answered nothing before the reset, whether or not it was asked", () =>
      expect(
        reasons(
          t01(),
          both(
            accepted,
            without("model.answered", ({ seq }) => seq < firstReset(t01())),
          ),
        ),
      ).not.toContain("point-contradicted"));
  });
});

function firstReset(trace: TraceBuilder): number {
  return trace.records.find(({ type }) => type === "reset.requested")?.seq ?? 0;
}

describe("the reset", () => {
  it("must have been performed", () =>
    expect(reasons(t01(), without("reset.performed"))).toContain("reset-not-performed"));
  it("must have been asked for", () =>
    expect(reasons(t01(), without("reset.requested"))).toEqual(["reset-books-broken"]));
  it("must not have been refused", () =>
    expect(
      reasons(t01(), (record) =>
        record.type === "reset.performed"
          ? [
              {
                seq: 0,
                at: record.at,
                prev: record.prev,
                source: "controller",
                type: "reset.refused",
                reset: "abort",
                ordinal: 1,
                mechanism: "ctx.abort()",
                error: "not here",
              },
            ]
          : [record],
      ),
    ).toContain("reset-refused"));
  it("must have given the object a new activation", () =>
    expect(
      reasons(
        t01(),
        without("subject.activated", (record) => "generation" in record && record.generation === 2),
      ),
    ).toContain("reset-not-delivered"));
  it("may be proven by the death of the process alone", () =>
    expect(reasons(t05(), (record) => [record])).toEqual([]));
  it("is not proven by a process that was not seen to end", () =>
    expect(
      reasons(
        t05(),
        edit("reset.performed", {
          process: { pid: 1, exitCode: null, signal: null, nextPid: null, trials: 1, cluster: "k" },
        }),
      ),
    ).toEqual(["reset-not-delivered"]));
  it("is not delivered to a process when the new activation runs in the old isolate", () =>
    expect(reasons(t02(), edit("subject.activated", { isolate: "i1" }))).toEqual(["reset-not-delivered"]));
  it("must not happen in a trial without one", () => {
    const performed = t01().records.find((record) => record.type === "reset.performed");
    expect(
      reasons(t04(), (record) =>
        record.type === "canary.fired" && performed !== undefined ? [performed, record] : [record],
      ),
    ).toContain("reset-unplanned");
  });
  it("needs another version when the code was deployed again", () => {
    const redeployed = (second: string) =>
      reasons(t02(), (record) => {
        if (record.type === "trial.started")
          return [
            {
              ...record,
              spec: { ...record.spec, factors: { ...record.spec.factors, reset: "redeploy" } },
            },
          ];
        if (record.type === "reset.requested" || record.type === "reset.performed")
          return [{ ...record, reset: "redeploy" }];
        if (record.type === "subject.activated")
          return [{ ...record, version: { id: record.generation === 1 ? "v1" : second, tag: "" } }];
        return [record];
      });
    expect(redeployed("v2")).toEqual([]);
    expect(redeployed("v1")).toEqual(["reset-not-delivered"]);
  });
  it("is recognised when the object is back before the reset was reported", () => {
    const trace = t02();
    const index = trace.records.findIndex((record) => record.type === "reset.performed");
    const [performed] = trace.records.splice(index, 1);
    const after = trace.records.findLastIndex((record) => record.type === "subject.activated");
    if (performed !== undefined) trace.records.splice(after + 1, 0, performed);
    expect(reasons(trace, (record) => [record])).toEqual([]);
  });
});

describe("the evidence", () => {
  it.each([
    ["ledger.configured", "ledger-not-configured"],
    ["marker.written", "marker-not-written"],
    ["canary.armed", "canary-not-armed"],
    ["canary.fired", "canary-silent"],
    ["operation.settled", "outcome-missing"],
  ] as const)("needs %s", (type, code) => expect(reasons(t02(), without(type))).toEqual([code]));

  it("needs the first submission", () =>
    expect(
      reasons(
        t02(),
        without("operation.submitted", (record) => "purpose" in record && record.purpose === "first"),
      ),
    ).toEqual(["submission-missing"]));
  it("needs an activation", () =>
    expect(reasons(t04(), without("subject.activated"))).toEqual(["activation-missing"]));
  it("needs the settle window", () =>
    expect(
      reasons(
        t02(),
        without("phase.entered", (record) => "phase" in record && record.phase === "settle"),
      ),
    ).toEqual(["settle-window-missing"]));
  it("needs an outcome after a second submission that was accepted", () => {
    const last = t08().records.findLast((record) => record.type === "operation.settled");
    expect(
      reasons(
        t08(),
        without("operation.settled", ({ seq }) => seq === last?.seq),
      ),
    ).toEqual(["outcome-missing"]);
  });
  it("does not need a canary where nothing is reset", () =>
    expect(reasons(t04(), without("canary.fired"))).toEqual([]));
  it("must be of the host that was asked for", () =>
    expect(
      reasons(t02(), edit("subject.activated", { host: { kind: "sdk", name: "opencode", version: "2" } })),
    ).toEqual(["host-mismatch"]));
  it("must be of the destination that was asked for", () =>
    expect(reasons(t01(), edit("ledger.configured", { destination: "unique" }))).toEqual([
      "ledger-contradicts-spec",
    ]));
  it("must be of the trial's own marker", () =>
    expect(reasons(t02(), edit("marker.written", { marker: "M-1" }))).toContain("marker-contradicts-spec"));

  it.each([
    ["could not be read", { error: "closed" }, "log-unreadable"],
    ["never reached the synced marker", { synced: null }, "log-unsynced"],
    ["did not begin at the start", { after: 2 }, "log-not-whole"],
    ["reports a gap", { gaps: [{ from: 2, to: 3 }] }, "recorder-gap"],
    ["ends before the watermark", { synced: 9 }, "recorder-gap"],
  ] as const)("is incomplete when the last read of the log %s", (_what, fields, code) =>
    expect(reasons(t02(), edit("snapshot.log", fields as Partial<JournalRecord<"snapshot.log">>))).toEqual([
      code,
    ]),
  );
  it("is incomplete when the events themselves show a gap", () =>
    expect(
      reasons(t02(), (record) =>
        record.type === "snapshot.log"
          ? [{ ...record, events: record.events.filter(({ seq }) => seq !== 3) }]
          : [record],
      ),
    ).toEqual(["recorder-gap"]));
});

describe("the ledger's books", () => {
  const broken = ["ledger-books-broken"];
  it("have no hole in the attempts", () =>
    expect(
      reasons(t01(), (record) =>
        "attempt" in record && record.attempt === 2 ? [{ ...record, attempt: 3 } as JournalRecord] : [record],
      ),
    ).toEqual(broken));
  it("have no hole in the effects", () =>
    expect(
      reasons(t01(), (record) =>
        "effect" in record && record.effect === "e2"
          ? [{ ...record, effect: "e3" } as JournalRecord]
          : [record],
      ),
    ).toEqual(broken));
  it("know every attempt that is referred to", () =>
    expect(
      reasons(
        t01(),
        without("attempt.received", (record) => "attempt" in record && record.attempt === 2),
      ),
    ).toContain("ledger-books-broken"));
  it("know every effect that is acknowledged", () =>
    expect(
      reasons(
        t01(),
        without("effect.committed", (record) => "attempt" in record && record.attempt === 2),
      ),
    ).toContain("ledger-books-broken"));
  it("say what became of every receipt", () =>
    expect(reasons(t01(), without("receipt.sent"))).toEqual(broken));
  it("give an attempt one fate", () => expect(reasons(t03(), twice("attempt.rejected"))).toEqual(broken));
  it("list the open attempts", () => {
    expect(reasons(t02(), edit("trial.ended", { openAttempts: [1] }))).toEqual(broken);
    expect(reasons(t03(), without("attempt.rejected"))).toEqual(broken);
  });
  it("do not deduplicate at an appending destination", () =>
    expect(
      reasons(t02(), (record) => {
        if (record.type === "trial.started")
          return [
            {
              ...record,
              spec: { ...record.spec, factors: { ...record.spec.factors, destination: "append" } },
            },
          ];
        return record.type === "ledger.configured" ? [{ ...record, destination: "append" }] : [record];
      }),
    ).toEqual(broken));
  it("do not commit one key twice at a unique destination", () =>
    expect(
      reasons(t01(), (record) => {
        if (record.type === "trial.started")
          return [
            {
              ...record,
              spec: { ...record.spec, factors: { ...record.spec.factors, destination: "unique" } },
            },
          ];
        return record.type === "ledger.configured" ? [{ ...record, destination: "unique" }] : [record];
      }),
    ).toEqual(broken));
  it("leave the flags open and the kit to blame when they contradict themselves", () => {
    const trace = t01();
    const records = trace.records.map((record) =>
      record.type === "trial.ended" ? { ...record, openAttempts: [2] } : record,
    );
    const verdict = judge(parsedFrom(records, trace.spec, trace.environment));
    expect(verdict.operations[0]).toMatchObject({ attempts: 2, effects: 2, flags: ["unknown"] });
    expect(verdict.attribution).toMatchObject({ value: "kit", code: "ledger-books-broken" });
  });
});

describe("the model's books", () => {
  const broken = ["model-books-broken"];
  it("have no hole in the calls", () =>
    expect(
      reasons(
        t01(),
        without("model.requested", (record) => "call" in record && record.call === 2),
      ),
    ).toContain("model-books-broken"));
  it("have a request for every answer", () =>
    expect(
      reasons(
        t01(),
        without("model.requested", (record) => "call" in record && record.call === 3),
      ),
    ).toEqual(broken));
  it("have an answer for every call that succeeded", () =>
    expect(
      reasons(
        t01(),
        without("model.answered", (record) => "call" in record && record.call === 2),
      ),
    ).toEqual(broken));
});

describe("a loss at a numbered write", () => {
  const act = { kind: "update", table: "note", nth: 2 } as const;
  const told = {
    ...act,
    ...({ number: 5, group: 3, msSinceSubmit: 7, side: "after", last: 6, lastGroup: 3 } as const),
    activation: "A1",
  } as const;
  /** A trial that was to be lost after the second update of `note`, which was counted as its write 4. */
  const lost =
    (write: JournalRecord<"reset.performed">["write"]): Change =>
    (record) => {
      if (record.type === "hold.reached") return [];
      if (record.type === "reset.performed") return [write === undefined ? record : { ...record, write }];
      if (record.type !== "trial.started") return [record];
      const { spec } = record;
      const factors = {
        ...spec.factors,
        point: "write",
        write: { ...act, number: 4, side: "after" },
      } as const;
      return [{ ...record, spec: { ...spec, factors } }];
    };

  it("counts where the object names that write, under whatever number it came", () =>
    expect(reasons(t01(), lost(told))).toEqual([]));

  it("is not shown where the object said nothing", () =>
    expect(reasons(t01(), lost(undefined))).toEqual(["write-not-reached"]));

  it("is another one at another write, or on the other side of it", () => {
    expect(reasons(t01(), lost({ ...told, nth: 1 }))).toEqual(["write-not-the-one"]);
    expect(reasons(t01(), lost({ ...told, table: "jobs" }))).toEqual(["write-not-the-one"]);
    expect(reasons(t01(), lost({ ...told, side: "before", last: 4 }))).toEqual(["write-not-the-one"]);
  });

  it("is passed where a write of a later group was under way", () =>
    expect(reasons(t01(), lost({ ...told, last: 7, lastGroup: 4 }))).toEqual(["write-passed"]));

  it("is proven by the next activation, though that reports itself before anybody knows of the loss", () => {
    const change = lost(told);
    const records = t01().records.flatMap(change);
    const back = records.find((record) => record.type === "subject.activated" && record.activation === "A2");
    const early: Change = (record) => {
      if (back === undefined || (record.type === "subject.activated" && record.activation === "A2"))
        return [];
      return record.type === "reset.requested" ? [back, record] : change(record);
    };
    expect(reasons(t01(), early)).toEqual([]);
  });
});
