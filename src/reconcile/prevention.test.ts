import { describe, expect, it } from "vitest";
import { judge } from "./judge.ts";
import { preventionOf } from "./prevention.ts";
import { buildSpec } from "./testing/spec-builder.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);

/** Two attempts after each other, of which each makes an effect. */
function twice(keys: readonly [string | null, string | null], payloads: readonly [string, string]) {
  const spec = buildSpec({ intended: [{ action: "ticket", key: null, effects: 1 }] });
  const built = new TraceBuilder(spec)
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1", { key: keys[0], payloadSha256: payloads[0] })
    .commit(1, "e1", { key: keys[0] })
    .send(1, "e1")
    .turn(2, "A1", ["call_2"])
    .attempt(2, "A1", "call_2", { key: keys[1], payloadSha256: payloads[1] })
    .commit(2, "e2", { key: keys[1] })
    .send(2, "e2")
    .end();
  const parsed = built.toParsed();
  return preventionOf(parsed.records, judge(parsed));
}
const sentenceOf = (found: ReturnType<typeof twice>, means: string) =>
  found.find((one) => one.means === means)?.sentence;

describe("what would have prevented a second effect", () => {
  it("is a key, where there was none: made of the payload, if that stayed the same", () => {
    expect(sentenceOf(twice([null, null], [A, A]), "key")).toContain(
      "made of the payload would have been the same",
    );
    expect(sentenceOf(twice([null, null], [A, B]), "key")).toContain("not from the payload");
  });

  it("is another key, where the key of the repeat was a new one", () => {
    const found = twice(["call_1", "call_2"], [A, A]);
    expect(sentenceOf(found, "key")).toContain("'call_1' became 'call_2'");
    expect(sentenceOf(found, "uniqueness")).toBeUndefined();
  });

  it("is a destination that knows repeats, where the key stayed the same", () => {
    expect(sentenceOf(twice(["order-7", "order-7"], [A, A]), "uniqueness")).toContain("'order-7'");
  });

  it("is a look-up where the first effect was there in time", () => {
    expect(sentenceOf(twice([null, null], [A, A]), "look-up")).toContain("would have found it");
  });

  it("is nothing where there was one effect", () => {
    const built = new TraceBuilder()
      .begin()
      .turn(1, "A1", ["call_1"])
      .attempt(1, "A1", "call_1")
      .commit(1, "e1")
      .end();
    const parsed = built.toParsed();
    expect(preventionOf(parsed.records, judge(parsed))).toEqual([]);
  });
});
