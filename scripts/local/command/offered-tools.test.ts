import { describe, expect, it } from "vitest";
import { keyOf, LedgerCall, offeredTools } from "./offered-tools.ts";

describe("the key of a call", () => {
  it.each([
    [{ idempotency_key: "k" }, null, "k"],
    [{}, { idempotency_key: "m" }, "m"],
    [{ idempotency_key: "k" }, { idempotency_key: "m" }, "k"],
    [{}, { progressToken: 3 }, null],
    [{ key: "k" }, null, null],
  ])("of the arguments %j and the rest %j is %j", (input, meta, key) => {
    expect(keyOf(LedgerCall.parse({ tool: "ledger_commit", input, meta }))).toBe(key);
  });
});

describe("the tools", () => {
  it("pass on what was given, and refuse what is no call", async () => {
    const made: LedgerCall[] = [];
    const [commit] = offeredTools(async (call) => {
      made.push(call);
      return "receipt";
    });
    expect(await commit?.run({ text: "x", more: 1 }, undefined)).toBe("receipt");
    expect(await commit?.run(undefined, undefined)).toBe("receipt");
    expect(made).toEqual([
      { tool: "ledger_commit", input: { text: "x", more: 1 }, meta: null },
      { tool: "ledger_commit", input: {}, meta: null },
    ]);
    await expect(commit?.run({ text: 3 }, undefined)).rejects.toThrow();
  });
});
