import { describe, expect, it } from "vitest";
import { essence } from "./cases/pass.ts";
import { t01, t02, t05 } from "./cases/traces.ts";
import { judge } from "./judge.ts";
import { buildSpec, logOf, TraceBuilder } from "./testing/trace-builder.ts";

const timingsOf = (trace: TraceBuilder) => judge(trace.toParsed()).timings;
const LOG = logOf(["session.execution.started"], ["session.execution.succeeded"]);

/** A trial cut off in its first call and gone on with by A2; `after` is what A2 does before the quiet interval ends. */
function recovered(after: (trace: TraceBuilder) => TraceBuilder, quietMs = 40_000): TraceBuilder {
  const trace = new TraceBuilder(buildSpec({ factors: { quietMs } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" });
  return after(trace).quietEnds().reconnect("A2").settled("committed");
}
const ended = (trace: TraceBuilder) => trace.submitted("again", false).collect(LOG).jobs().end();

describe("the time until the operation settled", () => {
  it("is the last answer's, however long a client waits before it asks", () => {
    const answered = (trace: TraceBuilder) => trace.turn(2, "A2", []);
    const [short, long] = [1_000, 40_000].map((quietMs) => timingsOf(ended(recovered(answered, quietMs))));
    expect(short?.resetToSettledMs).toBe(50);
    expect(long).toEqual(short);
  });

  it("takes the last of several answers", () => {
    const twice = (trace: TraceBuilder) => trace.turn(2, "A2", []).wait(500).turn(3, "A2", []);
    expect(timingsOf(ended(recovered(twice))).resetToSettledMs).toBe(570);
  });

  it("takes neither an answer that asks for a call nor one for a title", () => {
    const titled = (trace: TraceBuilder) =>
      trace.turn(2, "A2", []).turn(3, "A2", ["c3"]).turn(4, "A2", [], { purpose: "title", ordinal: 1 });
    expect(timingsOf(ended(recovered(titled))).resetToSettledMs).toBe(50);
  });

  it("does not take the probe's answer for the operation's", () => {
    const trace = recovered((one) => one.turn(2, "A2", []));
    const probe = { operationId: trace.spec.probeId, session: "ses_root" };
    trace
      .submitted("again", false)
      .add("probe.submitted", { ...probe, accepted: true, error: null })
      .turn(3, "A2", [])
      .settled("committed");
    expect(timingsOf(trace.collect(LOG).jobs().end()).resetToSettledMs).toBe(50);
  });

  it("is open and marked when no answer ended the operation, so that only the late look shows it", () => {
    expect(timingsOf(t02())).toMatchObject({ resetToSettledMs: null, settledNote: "observed-late" });
  });

  it("is open and marked when a rule of the host ended it after an answer that was lost", () => {
    const trace = recovered((one) => one.turn(2, "A2", []));
    for (const record of trace.records)
      if (record.type === "operation.settled")
        Object.assign(record, { status: "unanswered", reason: "limit" });
    expect(timingsOf(ended(trace))).toMatchObject({ resetToSettledMs: null, settledNote: "observed-late" });
  });

  it("is open and marked when it had settled before the reset", () => {
    const trace = new TraceBuilder(buildSpec({ factors: { point: "after-answer" } }))
      .begin()
      .turn(1, "A1", [])
      .settled("not-committed")
      .reset("A1")
      .quiet()
      .quietEnds()
      .activated("A2", { generation: 2 })
      .reconnect("A2")
      .settled("not-committed");
    expect(timingsOf(ended(trace))).toMatchObject({ resetToSettledMs: null, settledNote: "before-reset" });
  });

  it("is open when the operation never settled", () => {
    expect(timingsOf(t05())).toMatchObject({ resetToSettledMs: null, settledNote: null });
  });
});

describe("the resets of a verdict", () => {
  it("carry the cluster of a process that other trials shared", () => {
    expect(judge(t02().toParsed()).resets).toMatchObject([{ ordinal: 1, reset: "kill", cluster: "k1" }]);
    expect(judge(t01().toParsed()).resets).toMatchObject([{ ordinal: 1, reset: "abort", cluster: null }]);
  });

  it("are none where nothing can be read", () => {
    expect(judge({ header: null, records: [], problems: [] }).resets).toEqual([]);
    expect(essence(judge({ header: null, records: [], problems: [] })).trial).toBe("invalid");
  });
});
