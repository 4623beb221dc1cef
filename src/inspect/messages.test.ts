import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { MessageObservation } from "../trace/index.ts";
import { inspectTranscript } from "./messages.ts";

const time = { created: 1 };

describe("a transcript", () => {
  test("is observed message by message, in order", () => {
    const tool = (id: string, status: string) => ({
      type: "tool",
      id,
      name: "ledger_commit",
      state: { status },
      time,
    });
    expect(
      inspectTranscript([
        { id: "msg_1", type: "user", text: "do it", time },
        {
          id: "msg_2",
          type: "assistant",
          agent: "build",
          content: [
            { type: "text", text: "I " },
            { type: "reasoning", text: "hm" },
            { type: "text", text: "will." },
            tool("call_1", "error"),
            tool("call_2", "completed"),
          ],
          finish: "tool-calls",
          time,
        },
        { id: "msg_3", type: "synthetic", text: "restarted", time },
        { id: "msg_4", type: "assistant", content: [{ type: "text", text: "" }], error: { type: "x" }, time },
        { id: "msg_5", type: "idle", outcome: "succeeded", time },
        { id: "msg_6", type: "compaction", status: "running", time },
        { id: "msg_7", type: "brand-new", time },
      ]),
    ).toEqual([
      { id: "msg_1", type: "user", text: "do it" },
      {
        id: "msg_2",
        type: "assistant",
        text: "I will.",
        outcome: "tool-calls",
        tools: [
          { call: "call_1", tool: "ledger_commit", status: "error" },
          { call: "call_2", tool: "ledger_commit", status: "completed" },
        ],
      },
      { id: "msg_3", type: "synthetic", text: "restarted" },
      { id: "msg_4", type: "assistant", outcome: "error" },
      { id: "msg_5", type: "idle", outcome: "succeeded" },
      { id: "msg_6", type: "compaction", outcome: "running" },
      { id: "msg_7", type: "brand-new" },
    ]);
  });

  test("that is empty has no observation", () => {
    expect(inspectTranscript([])).toEqual([]);
  });

  test("shows what it cannot read", () => {
    const text = "not an object with the texts id and type, or id, role and parts";
    expect(
      inspectTranscript([
        null,
        { id: "msg_1" },
        { id: "msg_2", type: "assistant", content: [null, { type: "tool" }] },
      ]),
    ).toEqual([
      { id: "(message 0)", type: "unreadable", text },
      { id: "msg_1", type: "unreadable", text },
      {
        id: "msg_2",
        type: "assistant",
        tools: [{ call: "(unreadable)", tool: "(unreadable)", status: "(unreadable)" }],
      },
    ]);
  });

  test("gives one recordable observation for any message whatever", () => {
    const message = fc.oneof(
      fc.anything(),
      fc.record({
        id: fc.string(),
        type: fc.constantFrom("assistant", "user"),
        content: fc.anything(),
        text: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const observed = inspectTranscript(messages);
        expect(z.array(MessageObservation).parse(observed)).toHaveLength(messages.length);
      }),
    );
  });
});
