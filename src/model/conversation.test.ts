import { describe, expect, test } from "vitest";
import { viewOf } from "./conversation.ts";
import { operationPrompt, probePrompt } from "./prompt.ts";
import { ChatRequest } from "./request.ts";

const prompt = (action: string) => ({ role: "user", content: operationPrompt({ action, key: null }) });
const notice = { role: "user", content: "The server restarted." };
const said = { role: "assistant", content: "Done." };
const noticed = (...messages: unknown[]) => viewOf(ChatRequest.parse({ model: "m", messages })).restartNotice;

describe("a restart notice", () => {
  test("is seen behind the prompt, and in front of a prompt that was delivered late", () => {
    expect(noticed(prompt("a"), notice)).toBe(true);
    expect(noticed(notice, prompt("a"))).toBe(true);
    expect(noticed(prompt("a"), said, notice)).toBe(true);
  });

  test("of an earlier turn is not seen again", () => {
    expect(noticed(prompt("a"), notice, said, prompt("b"))).toBe(false);
  });

  test("is not seen where there is none", () => {
    expect(noticed({ role: "system", content: "You may be restarted." }, prompt("a"))).toBe(false);
  });
});

test("reads content in parts, and names the tool of each result", () => {
  const view = viewOf(
    ChatRequest.parse({
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: operationPrompt({ action: "a", key: "k" }) },
            { type: "image_url" },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "1", type: "function", function: { name: "ledger_commit", arguments: "{}" } },
            { id: "2", type: "function", function: { name: "clock", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "1", content: [{ type: "text", text: 'ok: {"receipt":"r"}' }] },
        { role: "tool", tool_call_id: "2", content: "noon" },
      ],
    }),
  );
  expect(view.prompt).toEqual({ kind: "operation", action: "a", key: "k" });
  expect(view.results).toEqual([
    {
      call: "1",
      tool: "ledger_commit",
      ledger: "ledger_commit",
      outcome: { kind: "receipt", receipt: "r" },
      text: 'ok: {"receipt":"r"}',
    },
    { call: "2", tool: "clock", ledger: null, outcome: { kind: "other" }, text: "noon" },
  ]);
});

test("counts the prompts that ask for the operation, and no others", () => {
  const count = (...messages: unknown[]) => viewOf(ChatRequest.parse({ model: "m", messages })).prompts;
  expect(count(prompt("a"))).toBe(1);
  expect(count(prompt("a"), said, prompt("a"))).toBe(2);
  expect(count(prompt("a"), said, { role: "user", content: probePrompt() }, notice)).toBe(1);
});
