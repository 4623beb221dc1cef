import { describe, expect, it } from "vitest";
import { judge } from "../judge.ts";
import { buildSpec, logOf, parsedFrom, TraceBuilder } from "../testing/trace-builder.ts";

const CLOSE_MS = 30_000;

/** A turn that ended before the quiet interval, with the host open; `during` is what happens in the interval. */
function idleTrial(
  during: (trace: TraceBuilder) => TraceBuilder,
  answeredBy = "A1",
  factors: Parameters<typeof buildSpec>[0] = {
    factors: { point: "after-answer", reset: "none", resets: 0 },
  },
) {
  const trace = new TraceBuilder(buildSpec(factors))
    .begin()
    .add("host.opened", { activation: "A1", opening: 1, because: null })
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .send(1, "e1")
    .turn(2, "A1", [])
    .settled("committed");
  return during(trace.quiet())
    .add("quiet.ended", {})
    .reconnect(answeredBy)
    .probe()
    .collect(logOf(["session.execution.started"], ["session.execution.succeeded"]))
    .end();
}

const opened = (activation: string, opening: number) => (trace: TraceBuilder) =>
  trace.add("host.opened", { activation, opening, because: null });
const closed = (trace: TraceBuilder) =>
  trace.wait(CLOSE_MS).add("host.closed", { activation: "A1", opening: 1, because: null });
const idleHost = (trace: TraceBuilder) => judge(trace.toParsed()).idleHost;

describe("a host that was idle", () => {
  it("was closed by its harness, and opened again by the same activation", () => {
    const trace = idleTrial(closed);
    opened("A1", 2)(trace);
    const answer = idleHost(trace);
    expect(answer).toMatchObject({ value: "closed", code: "closed-and-reopened" });
    expect(answer.closedAfterMs).toBeGreaterThanOrEqual(CLOSE_MS);
  });

  it("is not taken for closed where the runtime evicted its object in the same interval", () => {
    const evicted = idleTrial(
      (trace) => opened("A2", 1)(trace.wait(CLOSE_MS).activated("A2", { generation: 2 })),
      "A2",
    );
    expect(idleHost(evicted)).toMatchObject({
      value: "lost",
      code: "lost-with-object",
      closedAfterMs: null,
    });
  });

  it("was lost where the object was evicted unseen and another activation answers", () => {
    const trace = idleTrial((one) => one.wait(CLOSE_MS), "A2");
    trace.activated("A2", { generation: 2 });
    expect(idleHost(trace)).toMatchObject({ value: "lost", code: "lost-with-object" });
  });

  it("was closed first and lost later, where both are recorded", () => {
    const trace = idleTrial(closed, "A2");
    trace.activated("A2", { generation: 2 });
    expect(idleHost(trace)).toMatchObject({
      value: "closed-then-lost",
      code: "object-lost-after-closing",
    });
  });

  it("stayed open where the same activation answers and nothing closed it", () =>
    expect(idleHost(idleTrial((trace) => trace.wait(CLOSE_MS)))).toMatchObject({
      value: "kept-open",
      code: "still-open",
    }));

  it("is undecided where it is opened again and no closing was recorded", () => {
    const trace = idleTrial((one) => one.wait(CLOSE_MS));
    opened("A1", 2)(trace);
    expect(idleHost(trace)).toMatchObject({ value: "unknown", code: "closing-not-recorded" });
  });

  it("says nothing where no host was recorded", () => {
    const trace = idleTrial((one) => one.wait(CLOSE_MS));
    const records = trace.records
      .filter(({ type }) => type !== "host.opened")
      .map((record, index) => ({ ...record, seq: index + 1 }));
    expect(judge(parsedFrom(records, trace.spec)).idleHost).toMatchObject({
      value: "not-applicable",
      code: "no-host-recorded",
    });
  });
});

it("is lost with the reset where that took its object", () => {
  const trace = new TraceBuilder(buildSpec({ factors: { point: "after-answer", reset: "abort" } }))
    .begin()
    .add("host.opened", { activation: "A1", opening: 1, because: null })
    .turn(1, "A1", [])
    .settled("committed")
    .reset("A1")
    .quiet()
    .quietEnds()
    .activated("A2", { generation: 2 })
    .reconnect("A2")
    .probe()
    .collect([])
    .end();
  expect(idleHost(trace)).toMatchObject({ value: "lost", code: "lost-with-reset" });
});
