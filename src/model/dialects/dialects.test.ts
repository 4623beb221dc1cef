/**
 * Every dialect through a client that others have published: the AI SDK's providers write the request and read the answer,
 * each with its own schemas. One conversation, written by each of them, has to come to the same records.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Policy, RecordDraft } from "../../trace/index.ts";
import { ModelCallRequest, type ModelCallResponse } from "../../trace/protocol/ledger-protocol.ts";
import { handleModelRequest } from "../handler.ts";
import type { ModelLedger } from "../ledger.ts";
import { operationPrompt } from "../prompt.ts";
import { DIALECT_PATHS, type DialectPath } from "./index.ts";

class MemoryLedger implements ModelLedger {
  readonly calls: ModelCallRequest[] = [];
  readonly records: RecordDraft[] = [];
  readonly policy: Policy;
  /** Where it takes nothing any more. */
  fails: "stream" | null = null;

  constructor(policy: Policy = "reissue") {
    this.policy = policy;
  }

  async modelCall(request: ModelCallRequest): Promise<ModelCallResponse> {
    this.calls.push(ModelCallRequest.parse(request));
    const call = this.calls.length;
    return { call, ordinal: call, policy: this.policy, key: "scenario", intended: [] };
  }

  async modelStream(): Promise<void> {
    if (this.fails === "stream") throw new Error("the trial has ended");
  }

  async append(_id: string, record: RecordDraft): Promise<void> {
    this.records.push(RecordDraft.parse(record));
  }
}

/** The model of a trial, as the client of a dialect reaches it; no two share a ledger. */
function clientOf(path: DialectPath, ledger: ModelLedger) {
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    expect(new URL(request.url).pathname).toBe(`/v1/${path}`);
    return handleModelRequest(request, ledger, "t1", path);
  };
  const settings = { baseURL: "https://model.invalid/v1", apiKey: "none", fetch };
  switch (path) {
    case "chat/completions":
      return createOpenAICompatible({ name: "chat", includeUsage: true, ...settings }).chatModel("main");
    case "responses":
      return createOpenAI(settings).responses("main");
    case "messages":
      return createAnthropic(settings).messages("main");
  }
}

type Model = ReturnType<typeof clientOf>;
type Options = Parameters<Model["doStream"]>[0];
type Prompt = Options["prompt"];

const TOOLS: NonNullable<Options["tools"]> = ["ledger_commit", "ledger_look_up"].map((name) => ({
  type: "function",
  name,
  inputSchema: { type: "object", properties: { action: { type: "string" } } },
}));

/** What a client understood of an answer. */
type Read = {
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly finish: string;
  readonly tokens: unknown;
};

async function streamed(model: Model, prompt: Prompt, tools = TOOLS): Promise<Read> {
  const { stream } = await model.doStream({ prompt, tools });
  let text = "";
  const calls: unknown[] = [];
  let end: { finish: string; tokens: unknown } | undefined;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call")
      calls.push({ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) });
    if (part.type === "finish")
      end = {
        finish: part.finishReason.unified,
        tokens: { input: part.usage.inputTokens.total, output: part.usage.outputTokens.total },
      };
  }
  if (end === undefined) throw new Error("the stream has no end");
  return { text, calls, ...end };
}

async function whole(model: Model, prompt: Prompt, tools = TOOLS): Promise<Read> {
  const { content, finishReason, usage } = await model.doGenerate({ prompt, tools });
  return {
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) }]
        : [],
    ),
    finish: finishReason.unified,
    tokens: { input: usage.inputTokens.total, output: usage.outputTokens.total },
  };
}

const asked = (action: string, key: string | null): Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text: operationPrompt({ action, key }) }],
});

/** A call of the model's, and what its client tells it came of it. */
const called = (id: string, action: string, result: string): Prompt => [
  {
    role: "assistant",
    content: [
      { type: "text", text: "I will." },
      { type: "tool-call", toolCallId: id, toolName: "ledger_commit", input: { action } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: id,
        toolName: "ledger_commit",
        output: { type: "text", value: result },
      },
    ],
  },
];

const INTERRUPTED = "The call was interrupted. It may or may not have taken effect.";
const action = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/);
const key = fc.option(
  fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }).filter((text) => text.trim() === text),
);
const policy = fc.constantFrom<Policy>("reissue", "new-key", "look-up", "give-up", "claim-success");
const result = fc.constantFrom(
  INTERRUPTED,
  '{"receipt":"r-1"}',
  "Error: rejected by the ledger",
  "Error: other",
);

describe.each(DIALECT_PATHS)("the dialect %s", (path) => {
  test("tells a published client what stands in the record, streamed and whole", async () => {
    await fc.assert(
      fc.asyncProperty(action, key, policy, fc.option(result), async (name, written, chosen, came) => {
        const prompt = [asked(name, written), ...(came === null ? [] : called("call_a", name, came))];
        for (const read of [streamed, whole]) {
          const ledger = new MemoryLedger(chosen);
          const seen = await read(clientOf(path, ledger), prompt);
          const [record] = ledger.records;
          if (record?.type !== "model.answered") throw new Error("nothing was answered");
          expect(seen).toMatchObject({
            text: record.text,
            tokens: record.tokens,
            finish: record.finish,
          });
          expect(seen.calls).toEqual(
            record.toolCalls.map((call) => ({
              id: call.call,
              name: call.tool,
              input: {
                action: name,
                ...(call.key === null ? {} : { key: call.key }),
                ...(call.tool === "ledger_commit" ? { payload: `record ${name}` } : {}),
              },
            })),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test("is read to the same conversation as every other", async () => {
    await fc.assert(
      fc.asyncProperty(action, policy, fc.array(result, { maxLength: 3 }), async (name, chosen, came) => {
        const prompt = [asked(name, "k1"), ...came.flatMap((text, n) => called(`call_${n}`, name, text))];
        const [expected, found] = [new MemoryLedger(chosen), new MemoryLedger(chosen)];
        await whole(clientOf("chat/completions", expected), prompt);
        await streamed(clientOf(path, found), prompt);
        const bare = ({ calls }: MemoryLedger) => calls.map(({ messages: _, ...call }) => call);
        expect(bare(found)).toEqual(bare(expected));
        expect(found.records).toEqual(expected.records);
      }),
      { numRuns: 40 },
    );
  });

  test("breaks a stream off so that no client takes it for an answer", async () => {
    const ledger = new MemoryLedger();
    ledger.fails = "stream";
    const { stream } = await clientOf(path, ledger).doStream({ prompt: [asked("a1", null)], tools: TOOLS });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).not.toContain("tool-call");
    expect(types).toContain("error");
    expect(ledger.records).toEqual([]);
  });

  test("refuses a damaged conversation in words that its client passes on", async () => {
    const ledger = new MemoryLedger();
    const prompt = [asked("a1", null), ...called("call_a", "a1", "x").slice(1)];
    await expect(whole(clientOf(path, ledger), prompt)).rejects.toThrow("call_a");
    expect(ledger.records).toMatchObject([{ type: "model.refused", status: 400 }]);
  });
});

async function post(path: DialectPath, ledger: ModelLedger, body: unknown): Promise<Response> {
  const request = new Request(`https://model.invalid/v1/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return handleModelRequest(request, ledger, "t1", path);
}

async function eventsOf(response: Response): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(await response.text());
  return events;
}

const Named = z.looseObject({ type: z.string() });

describe("the events of a stream", () => {
  const text = operationPrompt({ action: "order-17", key: "k1" });
  test.each([
    ["responses", { model: "m", stream: true, input: text }],
    ["messages", { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: text }] }],
  ] as const)("are named as their data are, in %s", async (path, body) => {
    const events = await eventsOf(await post(path, new MemoryLedger(), body));
    expect(events.length).toBeGreaterThan(5);
    for (const { event, data } of events) expect(event).toBe(Named.parse(JSON.parse(data)).type);
  });

  test("count on without a gap in Responses", async () => {
    const events = await eventsOf(
      await post("responses", new MemoryLedger(), { model: "m", stream: true, input: text }),
    );
    const numbers = events.map(({ data }) => Named.parse(JSON.parse(data)).sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});

describe("tools of an MCP server", () => {
  const text = operationPrompt({ action: "order-17", key: "k1" });

  test("are called by the name and namespace under which Responses offers them", async () => {
    const ledger = new MemoryLedger();
    const answer = await post("responses", ledger, {
      model: "m",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
      tools: [
        { type: "function", name: "exec_command", parameters: {} },
        { type: "web_search" },
        { type: "namespace", name: "mcp__ledger", tools: [{ type: "function", name: "ledger_commit" }] },
      ],
    });
    expect(await answer.json()).toMatchObject({
      output: [
        { type: "message" },
        { type: "function_call", name: "ledger_commit", namespace: "mcp__ledger", call_id: "call_1_0" },
      ],
    });
    expect(ledger.records).toMatchObject([{ toolCalls: [{ tool: "ledger_commit", call: "call_1_0" }] }]);
  });

  test("are called by the long name under which Messages offers them, and known by it when they answer", async () => {
    const tools = [
      { name: "Bash", input_schema: {} },
      { name: "mcp__ledger__ledger_commit", input_schema: {} },
    ];
    const ledger = new MemoryLedger();
    const first = {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder/>" },
        { type: "text", text },
      ],
    };
    const answer = await post("messages", ledger, { model: "m", max_tokens: 9, messages: [first], tools });
    const { content } = z.object({ content: z.array(Named) }).parse(await answer.json());
    expect(content[1]).toMatchObject({ type: "tool_use", name: "mcp__ledger__ledger_commit" });
    const later = await post("messages", ledger, {
      model: "m",
      max_tokens: 9,
      tools,
      messages: [
        first,
        { role: "system", content: "Stay calm." },
        { role: "assistant", content },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1_0",
              content: [{ type: "text", text: '{"receipt":"r-9"}' }],
            },
          ],
        },
      ],
    });
    expect(later.status).toBe(200);
    expect(ledger.calls[1]?.results).toMatchObject([{ tool: "mcp__ledger__ledger_commit", outcome: "ok" }]);
    expect(ledger.records[1]).toMatchObject({ finish: "stop", text: expect.stringContaining("r-9") });
  });

  test("that an agent tells the model were aborted are lost calls", async () => {
    const ledger = new MemoryLedger("give-up");
    await post("responses", ledger, {
      model: "m",
      instructions: "You are an agent.",
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text }] },
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I will." }] },
        {
          type: "function_call",
          call_id: "c1",
          name: "ledger_commit",
          namespace: "mcp__ledger",
          arguments: "{}",
        },
        { type: "function_call_output", call_id: "c1", output: "aborted" },
      ],
      tools: [{ type: "function", name: "x" }],
    });
    expect(ledger.calls).toMatchObject([{ messages: 4, results: [{ call: "c1", outcome: "error" }] }]);
    expect(ledger.records).toMatchObject([{ toolCalls: [], text: expect.stringContaining("unknown") }]);
  });
});
