import { expect, test } from "vitest";
import { inspectTranscript } from "./messages.ts";

const tool = (callID: string, status: string) => ({
  type: "tool",
  callID,
  tool: "ledger_commit",
  state: { status, input: {} },
});

test("a message of the `/session` API is observed by role, with the state of each call and how its step ended", () => {
  expect(
    inspectTranscript([
      {
        info: { id: "msg_1", sessionID: "ses_1", role: "user" },
        parts: [
          { type: "text", text: "do it" },
          { type: "text", text: "do it" },
        ],
      },
      {
        info: { id: "msg_2", role: "assistant" },
        parts: [{ type: "step-start" }, tool("call_1", "running")],
      },
      {
        info: { id: "msg_3", role: "assistant", finish: "tool-calls" },
        parts: [tool("call_2", "completed"), tool("call_3", "error")],
      },
      { info: { id: "msg_4", role: "assistant", error: { name: "Aborted" }, finish: "stop" }, parts: [] },
    ]),
  ).toEqual([
    { id: "msg_1", type: "user", text: "do it\ndo it" },
    { id: "msg_2", type: "assistant", tools: [{ call: "call_1", tool: "ledger_commit", status: "running" }] },
    {
      id: "msg_3",
      type: "assistant",
      outcome: "tool-calls",
      tools: [
        { call: "call_2", tool: "ledger_commit", status: "completed" },
        { call: "call_3", tool: "ledger_commit", status: "error" },
      ],
    },
    { id: "msg_4", type: "assistant", outcome: "error" },
  ]);
});

test("what a damaged one lacks is said, and nothing is thrown", () => {
  expect(
    inspectTranscript([
      { info: { id: "msg_1" }, parts: [] },
      { info: { id: "msg_2", role: "assistant" }, parts: [null, { type: "tool" }] },
    ]),
  ).toEqual([
    expect.objectContaining({ type: "unreadable" }),
    {
      id: "msg_2",
      type: "assistant",
      tools: [{ call: "(unreadable)", tool: "(unreadable)", status: "(unreadable)" }],
    },
  ]);
});
