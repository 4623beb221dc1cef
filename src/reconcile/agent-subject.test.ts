import { describe, expect, it } from "vitest";
import { judge } from "./judge.ts";
import { agentTrace, type Played } from "./testing/agent-trace.ts";

const verdictOf = (played: Played) => judge(agentTrace(played).toParsed());

describe("an agent whose requests to its model nobody records", () => {
  it("leaves open what its model was told, why it tried again and what it used", () => {
    expect(verdictOf({ keys: [null, null] })).toMatchObject({
      validity: { value: "valid", reasons: [] },
      session: { value: "unknown", code: "log-not-offered" },
      execution: { value: "resumed", code: "attempt-by-successor" },
      executor: { value: "replacement-with-state" },
      told: { value: "unknown", code: "model-unrecorded", call: null, text: null },
      autonomous: { value: "not-applicable", code: "started-by-kit" },
      stuck: { value: "no", code: "nothing-owed" },
      operations: [{ attempts: 2, effects: 2, flags: ["duplicate"] }],
      repeats: [{ attempt: 2, cause: "unknown" }],
      attribution: { value: "harness" },
      usage: null,
      findings: [],
    });
  });

  it("is seen to go on by a look-up, and by nothing where it did neither", () => {
    expect(verdictOf({ looksUp: true }).execution).toMatchObject({
      value: "resumed",
      code: "look-up-by-successor",
    });
    expect(verdictOf({}).execution).toMatchObject({ value: "unknown", code: "model-unrecorded" });
  });

  it("is still at its work where it did not end, and nothing is owed by anybody else", () => {
    expect(verdictOf({ exitCode: null })).toMatchObject({
      executor: { value: "none", code: "timed-out" },
      stuck: { value: "no", code: "work-live" },
      operations: [{ effects: 1, flags: ["unresolved"] }],
    });
  });

  it("is answered by its own end, which is no answer where it failed", () => {
    expect(verdictOf({ point: "none" })).toMatchObject({
      execution: { value: "not-interrupted" },
      executor: { value: "same" },
      told: { value: "not-applicable" },
      operations: [{ effects: 1, flags: ["ok"] }],
    });
    expect(verdictOf({ exitCode: 1 })).toMatchObject({
      executor: { code: "ended-unanswered" },
      operations: [{ effects: 1, flags: ["unresolved"] }],
    });
  });

  it("comes to no point that it ends before", () => {
    expect(verdictOf({ keys: [] }).validity).toMatchObject({
      value: "invalid",
      reasons: [{ code: "point-not-reached" }],
    });
  });
});

describe("a destination that is unique by key alone", () => {
  it("makes an effect for each attempt without one, and one for each key", () => {
    for (const keys of [
      [null, null],
      ["a", "b"],
    ])
      expect(verdictOf({ keys })).toMatchObject({
        validity: { value: "valid" },
        operations: [{ effects: 2 }],
      });
    expect(verdictOf({ keys: ["a", "a"], absorbed: [2] })).toMatchObject({
      validity: { value: "valid" },
      operations: [{ effects: 1, flags: ["ok"] }],
    });
  });

  it("has broken books where one key has two effects", () => {
    expect(verdictOf({ keys: ["a", "a"] }).validity).toMatchObject({
      value: "invalid",
      reasons: [{ code: "ledger-books-broken" }],
    });
  });
});
