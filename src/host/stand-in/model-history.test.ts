import { expect, test } from "vitest";
import type { AssistantMessage, AssistantPart, SessionMessage } from "../types/messages.ts";
import { toChatMessages } from "./model-history.ts";

const at = { time: { created: 0 } };
const user = (text: string): SessionMessage => ({ id: `msg_${text}`, type: "user", text, ...at });
const assistant = (content: AssistantPart[], finish?: "stop" | "tool-calls"): AssistantMessage => ({
  id: "msg_a",
  type: "assistant",
  agent: "build",
  model: { providerID: "fake", id: "main" },
  content,
  ...(finish === undefined ? {} : { finish }),
  ...at,
});
const call = (id: string, state: Extract<AssistantPart, { type: "tool" }>["state"]): AssistantPart => ({
  type: "tool",
  id,
  name: "charge",
  state,
  ...at,
});

test("an empty transcript gives no messages", () => {
  expect(toChatMessages([])).toEqual([]);
});

test("markers say nothing; notices are user messages, instructions are system messages", () => {
  const messages: SessionMessage[] = [
    user("go"),
    { id: "msg_1", type: "idle", outcome: "succeeded", ...at },
    { id: "msg_2", type: "agent-switched", value: "plan", ...at },
    { id: "msg_3", type: "model-switched", value: { providerID: "fake", id: "main" }, ...at },
    { id: "msg_4", type: "synthetic", text: "restarted", ...at },
    { id: "msg_5", type: "system", text: "be brief", ...at },
  ];
  expect(toChatMessages(messages)).toEqual([
    { role: "user", content: "go" },
    { role: "user", content: "restarted" },
    { role: "system", content: "be brief" },
  ]);
});

test("each call is followed by its result, failed ones by their error", () => {
  const settled = assistant(
    [
      { type: "text", text: "I charge." },
      call("c1", {
        status: "completed",
        input: { order: "a" },
        content: [{ type: "text", text: "charged" }],
      }),
      call("c2", {
        status: "error",
        input: {},
        error: { type: "aborted", message: "Tool execution interrupted: charge" },
      }),
    ],
    "tool-calls",
  );
  expect(toChatMessages([settled])).toEqual([
    {
      role: "assistant",
      content: "I charge.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "charge", arguments: '{"order":"a"}' } },
        { id: "c2", type: "function", function: { name: "charge", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "charged" },
    { role: "tool", tool_call_id: "c2", content: "Error: Tool execution interrupted: charge" },
  ]);
});

test("an unfinished answer keeps its non-empty text and its reasoning; with nothing left it is dropped", () => {
  const cut = assistant([
    { type: "reasoning", text: "thinking" },
    { type: "text", text: "half" },
    { type: "text", text: "" },
  ]);
  expect(toChatMessages([cut])).toEqual([{ role: "assistant", content: "thinking\n\nhalf" }]);
  expect(toChatMessages([assistant([{ type: "text", text: "" }])])).toEqual([]);
});

test("finished reasoning is not repeated to the provider", () => {
  const finished = assistant(
    [
      { type: "reasoning", text: "thinking" },
      { type: "text", text: "done" },
    ],
    "stop",
  );
  expect(toChatMessages([finished])).toEqual([{ role: "assistant", content: "done" }]);
});

test("a completed compaction is a user-role checkpoint; a failed one is silent", () => {
  const base = { type: "compaction", reason: "auto", recent: "user: go", ...at } as const;
  const messages: SessionMessage[] = [
    { ...base, id: "msg_1", status: "failed", error: { type: "unknown", message: "no" } },
    { ...base, id: "msg_2", status: "completed", summary: "we went" },
  ];
  expect(toChatMessages(messages)).toEqual([
    { role: "user", content: expect.stringMatching(/we went[\s\S]*user: go/) },
  ]);
});
