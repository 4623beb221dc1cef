import { describe, expect, it } from "vitest";
import { buildSpec } from "../../src/reconcile/testing/spec-builder.ts";
import { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import { complaintOf } from "./own-rehearsal.ts";

const builder = () => new TraceBuilder(buildSpec({ factors: { point: "none", reset: "none", resets: 0 } }));
const refusal = { way: "fetch", why: "no-rule", activation: "A1", because: null } as const;

describe("what keeps a user's work from being done, before anything is lost", () => {
  it("is nothing where it was done", () => {
    const done = builder()
      .begin()
      .turn(1, "A1", ["c"])
      .attempt(1, "A1", "c")
      .commit(1, "e")
      .settled("committed");
    expect(complaintOf(done.toParsed().records)).toBeNull();
  });

  it("is a request that no rule is for, by its address", () => {
    const stray = builder()
      .begin()
      .add("request.refused", { ...refusal, request: "POST https://api.example/x" });
    expect(complaintOf(stray.toParsed().records)).toContain("refused were: POST https://api.example/x");
  });

  it("is that nothing left the Worker", () => {
    expect(complaintOf(builder().begin().toParsed().records)).toContain("no request left your Worker");
  });

  it("is a tool that is not offered, in the model's words", () => {
    const reason = "tool-not-offered: the script calls 'a', and the agent offers 'b'.";
    const refused = builder().begin().add("model.refused", { status: 400, reason });
    expect(complaintOf(refused.toParsed().records)).toContain(reason);
  });

  it("is a result that never comes", () => {
    const waiting = builder()
      .begin()
      .attempt(1, "A1", "c")
      .commit(1, "e")
      .add("wait.expired", { waitedFor: "operation o1", boundMs: 25_000 });
    expect(complaintOf(waiting.toParsed().records)).toBe(
      "client.result did not come to an end: operation o1",
    );
  });
});
