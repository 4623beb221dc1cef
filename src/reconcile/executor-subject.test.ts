/**
 * A subject whose work is done by an executor apart from its object: what the executor does is no sign of life of the object
 * that drove it, and what it completes, it completed itself.
 */
import { describe, expect, it } from "vitest";
import type { TraceHeader } from "../trace/file.ts";
import { afterSyncMsOf } from "../trace/heartbeats.ts";
import type { JournalRecord } from "../trace/records.ts";
import { executorGoesOn, executorReplaced } from "./cases/further-traces.ts";
import { judge } from "./judge.ts";
import type { TraceBuilder } from "./testing/trace-builder.ts";

/** The trace with other records in place of some. */
function changed(change: (record: JournalRecord) => JournalRecord[], trace = executorGoesOn()): TraceBuilder {
  const records = trace.records.flatMap(change).map((record, index) => ({ ...record, seq: index + 1 }));
  trace.records.splice(0, trace.records.length, ...records);
  return trace;
}

const reasonsOf = (trace: TraceBuilder) => judge(trace.toParsed()).validity.reasons.map(({ code }) => code);

describe("an object that is lost while its executor works", () => {
  it("is replaced, and the work goes on where it was", () => {
    expect(judge(executorGoesOn().toParsed())).toMatchObject({
      container: "process",
      validity: { value: "valid", reasons: [] },
      session: { value: "restored" },
      execution: { value: "resumed", code: "executor-went-on" },
      executor: { value: "same", code: "one-executor" },
      response: { value: "replacement-with-state" },
      told: { value: "result", text: "the receipt" },
      autonomous: { value: "yes" },
      stuck: { value: "no" },
      operations: [{ attempts: 1, effects: 1, flags: ["ok"] }],
      repeats: [],
      openCalls: [],
      rebinding: { identity: "same", oldWork: "continued", result: "recovered", newWork: "admitted" },
      attribution: { value: "none", code: "no-deviation" },
    });
  });

  it("counts as alive when the same acts are its own", () => {
    const own = changed((record) => {
      if (!("executor" in record) || record.type.startsWith("executor.")) return [record];
      const { executor: _, ...rest } = record;
      return [rest as JournalRecord];
    });
    expect(reasonsOf(own)).toContain("reset-not-delivered");
  });

  it("has another executor to thank when that one ended the work", () => {
    const other = changed((record) =>
      record.type === "model.requested" && record.call === 2 ? [{ ...record, executor: "X2" }] : [record],
    );
    expect(judge(other.toParsed())).toMatchObject({
      executor: { value: "replacement-with-state", code: "thread-shown" },
    });
  });
});

describe("an executor that is lost while its object stays", () => {
  it("is replaced by one that was told of the call, and the object is never away", () => {
    expect(judge(executorReplaced().toParsed())).toMatchObject({
      validity: { value: "valid", reasons: [] },
      resets: [{ reset: "kill", target: "executor" }],
      execution: { value: "resumed", code: "next-executor-went-on" },
      executor: { value: "replacement-with-state", code: "thread-shown" },
      response: { value: "same" },
      told: { value: "outcome-unknown", call: "call_1" },
      autonomous: { value: "not-applicable", code: "no-host-loss" },
      repeats: [{ attempt: 2, cause: "model-reissue" }],
      rebinding: { oldWork: "interrupted", result: "reconstructed", newWork: "admitted" },
    });
  });

  it("has a successor without state when that shows nothing of the call", () => {
    const forgetful = changed(
      (record) => (record.type === "model.requested" ? [{ ...record, results: [] }] : [record]),
      executorReplaced(),
    );
    expect(judge(forgetful.toParsed())).toMatchObject({
      executor: { value: "replacement-without-state", code: "thread-not-shown" },
      told: { value: "nothing" },
      rebinding: { oldWork: "restarted" },
    });
  });

  it("leaves the operation to the harness where no other one worked on it", () => {
    const ended = changed((record) => {
      if ("executor" in record && record.executor === "X2" && record.type !== "executor.started") return [];
      if (record.type === "effect.committed" && record.effect === "e2") return [];
      if (record.type === "receipt.sent") return [];
      if (record.type === "model.answered" && record.call > 1) return [];
      if (record.type === "operation.settled")
        return [
          {
            ...record,
            status: "unanswered",
            reason: "container_lost",
            text: null,
            claim: { claim: "none", receipt: null },
          },
        ];
      return [record];
    }, executorReplaced());
    expect(judge(ended.toParsed())).toMatchObject({
      validity: { value: "valid", reasons: [] },
      execution: { value: "settled-by-policy", code: "executor-lost" },
      executor: { value: "none", code: "ended-unanswered" },
      told: { value: "not-applicable", code: "model-not-asked" },
      operations: [{ attempts: 1, effects: 1, flags: ["unresolved"] }],
      rebinding: { oldWork: "failed", result: "none" },
    });
  });

  it("tells the model nothing of the call by beginning another session, since that has nothing to tell", () => {
    const asked = executorReplaced().records.find((record) => record.type === "model.requested");
    const anew = changed((record) => {
      if (record.type === "model.requested" && record.call > 1) return [];
      if (record.type !== "probe.settled" || asked === undefined) return [record];
      const begun = {
        ...record,
        type: "session.begun",
        beginning: "new",
        accepted: true,
        error: null,
        because: null,
      } as const;
      // What a submission brings about may be recorded before it is.
      return [record, { ...asked, call: 9, executor: "X2", results: [] }, begun as JournalRecord];
    }, executorReplaced());
    expect(judge(anew.toParsed()).told).toMatchObject({ value: "not-applicable", code: "model-not-asked" });
  });

  const spoilt: [string, (record: JournalRecord) => JournalRecord[]][] = [
    ["has no recorded end", (record) => (record.type === "executor.ended" ? [] : [record])],
    [
      "was ended by the harness and not by the reset",
      (record) => (record.type === "executor.ended" ? [{ ...record, cause: "destroyed" }] : [record]),
    ],
    [
      "was not ended by the signal",
      (record) => (record.type === "executor.ended" ? [{ ...record, signal: null, exitCode: 0 }] : [record]),
    ],
    [
      "acts after its end",
      (record) =>
        record.type === "attempt.received" && record.attempt === 2
          ? [{ ...record, executor: "X1" }]
          : [record],
    ],
  ];
  it.each(spoilt)("makes the trial invalid when it %s", (_, change) => {
    expect(reasonsOf(changed(change, executorReplaced()))).toEqual(["executor-not-lost"]);
  });

  it("has a container that refuses to start only when a start was refused", () => {
    const unstartable = executorReplaced();
    const wanted = {
      ...unstartable.spec,
      factors: { ...unstartable.spec.factors, reset: "unstartable" as const },
    };
    const rewritten = (refusing: boolean) =>
      changed((record) => {
        if (record.type === "trial.started") return [{ ...record, spec: wanted }];
        if (record.type === "reset.requested") return [{ ...record, reset: "unstartable" }];
        if (record.type !== "reset.performed") return [record];
        const { seq, at, prev } = record;
        const error = "the container cannot be started";
        const refused = {
          seq,
          at,
          prev,
          source: "cli",
          type: "executor.refused",
          start: 1,
          error,
          because: null,
        };
        const performed = { ...record, reset: "unstartable" } as const;
        return refusing ? [performed, refused as JournalRecord] : [performed];
      }, executorReplaced());
    const judged = (trace: TraceBuilder) =>
      judge({ ...trace.toParsed(), header: { ...(trace.toParsed().header as TraceHeader), spec: wanted } });
    const refused = judged(rewritten(true));
    expect(refused.validity).toEqual({ value: "valid", reasons: [] });
    expect(refused.findings).toContainEqual(
      expect.objectContaining({
        code: "executor-starts-refused",
        facts: expect.objectContaining({ attempts: 1 }),
      }),
    );
    expect(judged(rewritten(false)).validity.reasons.map(({ code }) => code)).toEqual(["executor-not-lost"]);
  });

  it("is a trial at another point when the files could not have been stored by then", () => {
    let shift = 0;
    const early = changed((record) => {
      if (record.type === "hold.reached") shift = 4_000;
      return [{ ...record, at: record.at - (record.type === "hold.reached" ? 0 : shift) }];
    }, executorReplaced());
    expect(reasonsOf(early)).toContain("point-contradicted");
  });

  it.each([
    [4_000, []],
    [6_000, ["executor-lost-late"]],
  ])("%i ms after its turn began, before its files are stored every 5 s: %j", (lateMs, reasons) => {
    const trace = executorReplaced();
    trace.spec.factors.point = "after-commit";
    let shift = 0;
    const late = changed((record) => {
      if (record.type === "hold.reached") shift = lateMs;
      // Taken back from the wait that belongs to the other point.
      if (record.type === "phase.entered" && record.phase === "look")
        shift = lateMs - afterSyncMsOf(trace.spec);
      return [{ ...record, at: record.at + shift }];
    }, trace);
    expect(reasonsOf(late)).toEqual(reasons);
  });
});

describe("a trial in a container is invalid", () => {
  it("when no executor is recorded to have started", () => {
    expect(reasonsOf(changed((record) => (record.type === "executor.started" ? [] : [record])))).toEqual([
      "executor-missing",
    ]);
  });

  it("when its executor ended and nobody had ended it", () => {
    const died = changed((record) =>
      record.type === "quiet.started"
        ? [
            record,
            {
              ...record,
              type: "executor.ended",
              source: "cli",
              executor: "X1",
              pid: 200,
              exitCode: 1,
              signal: null,
              cause: "by-itself",
              because: null,
            } as unknown as JournalRecord,
          ]
        : [record],
    );
    expect(reasonsOf(died)).toEqual(["executor-died"]);
  });
});
