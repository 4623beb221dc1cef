import { describe, expect, test } from "vitest";
import { inspectTranscript } from "./messages.ts";

describe("a transcript of a harness on the AI SDK", () => {
  test("is observed by role, with the text of all steps and the state of each call", () => {
    const tool = (state: string, id: string) => ({
      type: "tool-ledger_commit",
      toolCallId: id,
      state,
      input: {},
    });
    expect(
      inspectTranscript([
        { id: "op", role: "user", parts: [{ type: "text", text: "do it" }] },
        {
          id: "m1",
          role: "assistant",
          parts: [
            { type: "step-start" },
            { type: "text", text: "I will. ", state: "done" },
            tool("output-error", "call_1"),
            { type: "step-start" },
            tool("output-available", "call_2"),
            { type: "reasoning", text: "hm" },
            { type: "text", text: "Done." },
          ],
        },
      ]),
    ).toEqual([
      { id: "op", type: "user", text: "do it" },
      {
        id: "m1",
        type: "assistant",
        tools: [
          { call: "call_1", tool: "ledger_commit", status: "output-error" },
          { call: "call_2", tool: "ledger_commit", status: "output-available" },
        ],
        text: "I will. Done.",
      },
    ]);
  });

  test.each([
    [{ type: "tool", toolName: "ledger_commit" }, "ledger_commit"],
    [{ type: "dynamic-tool", toolName: "other" }, "other"],
    [{ type: "tool" }, "(unreadable)"],
  ])("names the tool of a part %j", (part, tool) => {
    const parts = [{ ...part, toolCallId: "c", state: "input-available" }];
    expect(inspectTranscript([{ id: "m", role: "assistant", parts }])).toEqual([
      { id: "m", type: "assistant", tools: [{ call: "c", tool, status: "input-available" }] },
    ]);
  });

  test("is unreadable where a message has no parts", () => {
    expect(inspectTranscript([{ id: "m", role: "assistant", content: "x" }])).toMatchObject([
      { id: "m", type: "unreadable" },
    ]);
  });
});
