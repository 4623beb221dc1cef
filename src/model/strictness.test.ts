import { describe, expect, test } from "vitest";
import type { Message } from "./request.ts";
import { findBreach } from "./strictness.ts";

const user: Message = { role: "user", content: "hello" };
const system: Message = { role: "system", content: "be brief" };
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, function: { name: "ledger_commit", arguments: "{}" } })),
});
const result = (id: string): Message => ({ role: "tool", tool_call_id: id, content: "{}" });
const codeOf = (...messages: Message[]) => findBreach(messages)?.code ?? null;

describe("a legal conversation", () => {
  test.each([
    ["a plain prompt", [user]],
    ["a call with its result", [system, user, calls("a"), result("a")]],
    [
      "two calls whose results come in the other order",
      [user, calls("a", "b"), result("b"), result("a"), user],
    ],
    [
      "two calls one after the other",
      [user, calls("a"), result("a"), calls("b"), result("b"), calls(), user],
    ],
  ])("is accepted: %s", (_title, messages) => {
    expect(codeOf(...messages)).toBeNull();
  });
});

describe("a damaged conversation", () => {
  test.each([
    ["no-user-message", "nothing but instructions", [system]],
    ["dangling-tool-call", "a call at the end", [user, calls("a")]],
    ["dangling-tool-call", "a call before a user message", [user, calls("a"), user]],
    ["dangling-tool-call", "one of two calls", [user, calls("a", "b"), result("a")]],
    ["orphan-tool-result", "a result that nothing asked for", [user, result("a")]],
    ["orphan-tool-result", "a result before its call", [user, result("a"), calls("a")]],
    ["misplaced-tool-result", "a message between call and result", [user, calls("a"), user, result("a")]],
    ["duplicate-tool-result", "a result twice", [user, calls("a"), result("a"), result("a")]],
    ["duplicate-call-id", "an id in two messages", [user, calls("a"), result("a"), calls("a"), result("a")]],
    ["duplicate-call-id", "an id twice in one message", [user, calls("a", "a"), result("a"), result("a")]],
  ])("is refused as %s: %s", (code, _title, messages) => {
    expect(codeOf(...messages)).toBe(code);
  });
});
