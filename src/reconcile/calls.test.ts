/** What becomes of an open call on harnesses that keep a transcript and no log. */
import { describe, expect, it } from "vitest";
import { judge } from "./judge.ts";
import { buildSpec, TraceBuilder } from "./testing/trace-builder.ts";

type Tools = readonly (readonly [call: string, status: string])[];

/** Lost in the acknowledgement gap of `c1`; a second attempt under `call`; the transcript at the end has `tools`. */
function lostInGap(call: string, tools: Tools, messages?: { id: string; type: string }[]) {
  const trace = new TraceBuilder(buildSpec({ factors: { subject: "think", host: "none" } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" });
  if (call !== "c1") trace.turn(2, "A2", [call]);
  trace
    .attempt(2, "A2", call, { generation: 2 })
    .commit(2, "e2")
    .send(2, "e2")
    .turn(call === "c1" ? 2 : 3, "A2", [])
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .probe()
    .phase("settle")
    .wait(10)
    .phase("collect")
    .log([], { offered: false })
    .add("snapshot.transcript", {
      how: "object",
      when: "collect",
      session: "main",
      messages: messages ?? [
        { id: "m1", type: "user" },
        {
          id: "m2",
          type: "assistant",
          tools: tools.map(([id, status]) => ({ call: id, tool: "ledger_commit", status })),
        },
      ],
      pending: [],
      error: null,
    })
    .add("snapshot.schema", { how: "object", when: "collect", tables: [], indexes: [], error: null })
    .jobs();
  return judge(trace.end().toParsed());
}

describe("a call that was open when the host was lost, where there is no log", () => {
  it("is recorded as failed although it took effect, which is the harness's doing", () => {
    const verdict = lostInGap("c2", [
      ["c1", "output-error"],
      ["c2", "output-available"],
    ]);
    expect(verdict.callMismatches).toMatchObject([{ call: "c1", recorded: "failed", committed: true }]);
    expect(verdict.repeats).toMatchObject([{ cause: "model-reissue" }]);
    expect(verdict.attribution).toMatchObject({
      value: "harness",
      code: "call-recorded-failed-though-committed",
    });
    expect(verdict.rebinding.oldWork).toBe("interrupted");
  });

  it("is run again under its own id", () => {
    const verdict = lostInGap("c1", [["c1", "output-available"]]);
    expect(verdict.callMismatches).toEqual([]);
    expect(verdict.repeats).toMatchObject([{ cause: "runtime-replay" }]);
    expect(verdict.attribution).toMatchObject({ value: "harness", code: "call-replayed" });
  });

  it("is forgotten: the transcript does not have it, and the model that asks again is not to blame", () => {
    const verdict = lostInGap("c2", [["c2", "output-available"]]);
    expect(verdict.callMismatches).toMatchObject([{ call: "c1", recorded: "absent", committed: true }]);
    expect(verdict.repeats).toMatchObject([{ cause: "model-reissue" }]);
    expect(verdict.attribution).toMatchObject({ value: "harness", code: "call-forgotten" });
    expect(verdict.rebinding.oldWork).toBe("restarted");
  });

  it("is open while its part has no end", () =>
    expect(
      lostInGap("c2", [
        ["c1", "input-available"],
        ["c2", "output-available"],
      ]),
    ).toMatchObject({ callMismatches: [], openCalls: ["c1"] }));

  it.each([
    ["a message of it cannot be read", [{ id: "m1", type: "unreadable" }]],
    ["it is empty", []],
  ])("is not called forgotten where the transcript does not tell: %s", (_why, messages) => {
    const verdict = lostInGap("c2", [], messages);
    expect(verdict.callMismatches).toEqual([]);
    expect(verdict.attribution.code).not.toBe("call-forgotten");
  });
});

describe("a session that is marked as under way without a time", () => {
  const owing = (held: boolean) => {
    const trace = new TraceBuilder(buildSpec({ factors: { point: "none", reset: "none", resets: 0 } }))
      .begin()
      .turn(1, "A1", [])
      .settled("not-committed")
      .collect([]);
    const claims = [{ session: "main", claimedAt: null, resumeAttempts: 0, held }];
    return judge(trace.jobs({ claims }).end().toParsed()).stuck;
  };

  it("still owes work", () =>
    expect(owing(true)).toMatchObject({ value: "yes", code: "claim-held-nothing-scheduled" }));

  it("owes nothing once it is let go", () => expect(owing(false)).toMatchObject({ value: "no" }));
});
