/** A client that asks for the same action in a new operation: whose call a repeat is, by the request that asked for it. */
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { buildSpec, logOf, TraceBuilder } from "./testing/trace-builder.ts";

const NONE = { results: [], restartNotice: false };

/** Lost in the acknowledgement gap; the client is back at once, and the recovery and its new operation run side by side. */
function asked(second: number, third: number) {
  const trace = new TraceBuilder(
    buildSpec({
      factors: { point: "after-commit", reset: "abort", reprompt: "new-id", reconnect: "at-once" },
    }),
  )
    .begin()
    .turn(1, "A1", ["call_1"], { ...NONE, prompts: 1 })
    .attempt(1, "A1", "call_1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1")
    .activated("A2", { generation: 2 })
    .reconnect("A2")
    .submitted("new-id", true, "op-1-anew")
    .turn(2, "A2", ["call_2"], { ...NONE, prompts: second })
    .attempt(2, "A2", "call_2", { generation: 2 })
    .commit(2, "e2")
    .send(2, "e2")
    .turn(3, "A2", ["call_3"], { ...NONE, prompts: third })
    .attempt(3, "A2", "call_3", { generation: 2 })
    .commit(3, "e3")
    .send(3, "e3")
    .turn(4, "A2", [], { ...NONE, prompts: third })
    .settled("committed")
    .submitted("again", false)
    .probe();
  return judge(
    trace
      .collect(logOf(["session.execution.started"]))
      .jobs()
      .end()
      .toParsed(),
  );
}

const causes = (verdict: ReturnType<typeof judge>) => verdict.repeats.map(({ cause }) => cause);

test("the request that shows one prompt belongs to the recovery, the one that shows two to the client", () => {
  const verdict = asked(1, 2);
  expect(causes(verdict)).toEqual(["model-reissue", "caller-resubmit"]);
  expect(verdict.operations).toMatchObject([{ attempts: 3, effects: 3, flags: ["duplicate"] }]);
});

test("the order of the records says nothing of it", () => {
  expect(causes(asked(2, 1))).toEqual(["caller-resubmit", "model-reissue"]);
  expect(causes(asked(2, 2))).toEqual(["caller-resubmit", "caller-resubmit"]);
});
