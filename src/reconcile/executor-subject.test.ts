/**
 * A subject whose work is done by an executor apart from its object: what the executor does is no sign of life of the object
 * that drove it, and what it completes, it completed itself.
 */
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../trace/records.ts";
import { executorGoesOn } from "./cases/further-traces.ts";
import { judge } from "./judge.ts";
import type { TraceBuilder } from "./testing/trace-builder.ts";

/** The trace with other records in place of some. */
function changed(change: (record: JournalRecord) => JournalRecord[]): TraceBuilder {
  const trace = executorGoesOn();
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

  it("leaves open who did the work when another executor ended it", () => {
    const other = changed((record) =>
      record.type === "model.requested" && record.call === 2 ? [{ ...record, executor: "X2" }] : [record],
    );
    expect(judge(other.toParsed())).toMatchObject({
      executor: { value: "indistinguishable", code: "another-executor" },
    });
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
