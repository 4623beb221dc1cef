import { createParser } from "eventsource-parser";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseClaim } from "../trace/claim-text.ts";
import { RecordDraft } from "../trace/index.ts";
import { ModelCallRequest, type ModelCallResponse } from "../trace/protocol/ledger-protocol.ts";
import { handleModelRequest } from "./handler.ts";
import type { ModelLedger } from "./ledger.ts";
import { operationPrompt } from "./prompt.ts";

/** A ledger that keeps everything in order, and that checks what it is given as the real one does. */
class MemoryLedger implements ModelLedger {
  readonly log: string[] = [];
  readonly calls: ModelCallRequest[] = [];
  readonly records: RecordDraft[] = [];
  beforeStream: () => Promise<void> = async () => {};
  beforeCall: () => Promise<void> = async () => {};

  async modelCall(request: ModelCallRequest): Promise<ModelCallResponse> {
    this.calls.push(ModelCallRequest.parse(request));
    await this.beforeCall();
    const call = this.calls.length;
    return { call, ordinal: call, policy: "reissue", key: "scenario", intended: [] };
  }

  async modelStream(): Promise<void> {
    this.log.push("stream");
    await this.beforeStream();
  }

  async append(id: string, record: RecordDraft): Promise<void> {
    this.log.push(id.startsWith("model-refused:") ? "refused" : id);
    this.records.push(RecordDraft.parse(record));
  }
}

const PROMPT = { role: "user", content: operationPrompt({ action: "order-17", key: "k1" }) };
const TOOLS = [{ type: "function", function: { name: "ledger_commit", parameters: {} } }];
const CALL = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "call_1_0", type: "function", function: { name: "ledger_commit", arguments: "{}" } }],
};
const RESULT = { role: "tool", tool_call_id: "call_1_0", content: '{"receipt":"r1"}' };

function post(ledger: ModelLedger, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request("https://model.invalid/v1/chat/completions", {
    method: "POST",
    body: text,
    headers,
  });
  return handleModelRequest(request, ledger, "t1", "chat/completions");
}
const ask = (stream: boolean, ...messages: unknown[]) => ({
  model: "scripted",
  stream,
  messages,
  tools: TOOLS,
});

const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().optional(),
        tool_calls: z
          .array(
            z.object({
              index: z.literal(0),
              id: z.string().optional(),
              function: z.object({ name: z.string().optional(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).optional(),
});

/** The `data` of each server-sent event. */
async function eventsOf(response: Response): Promise<string[]> {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  parser.feed(await response.text());
  return data;
}

/** A stream that the ledger holds, read up to the hold. */
async function heldStream() {
  const ledger = new MemoryLedger();
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  ledger.beforeStream = () => {
    reached.resolve();
    return held.promise;
  };
  const response = await post(ledger, ask(true, PROMPT));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes('"content":"I')) {
    const part = await reader.read();
    if (part.done) throw new Error(`the stream ended early: ${seen}`);
    seen += part.value;
  }
  await reached.promise;
  return { ledger, reader, seen, release: () => held.resolve() };
}

function reassemble(data: readonly string[]) {
  const chunks = data.filter((text) => text !== "[DONE]").map((text) => Chunk.parse(JSON.parse(text)));
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
  const fragments = deltas.flatMap((delta) => delta.tool_calls ?? []);
  return {
    text: deltas.map((delta) => delta.content ?? "").join(""),
    id: fragments.find((fragment) => fragment.id !== undefined)?.id ?? null,
    name: fragments.map((fragment) => fragment.function.name ?? "").join(""),
    arguments: fragments.map((fragment) => fragment.function.arguments).join(""),
    argumentFragments: fragments.filter((fragment) => fragment.function.arguments !== "").length,
    finish: chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.finish_reason ?? [])),
    usage: chunks.at(-1)?.usage,
  };
}

describe("a streamed answer", () => {
  test("gives a tool call in fragments, then finish reason, usage and the end marker", async () => {
    const ledger = new MemoryLedger();
    const response = await post(ledger, ask(true, PROMPT));
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const data = await eventsOf(response);
    expect(data.at(-1)).toBe("[DONE]");
    const whole = reassemble(data);
    expect(whole).toMatchObject({ id: "call_1_0", name: "ledger_commit", finish: ["tool_calls"] });
    expect(JSON.parse(whole.arguments)).toEqual({
      action: "order-17",
      key: "k1",
      payload: "record order-17",
    });
    expect(whole.argumentFragments).toBeGreaterThanOrEqual(2);
    expect(ledger.records).toEqual([
      {
        source: "model",
        type: "model.answered",
        call: 1,
        purpose: "turn",
        finish: "tool-calls",
        toolCalls: [{ call: "call_1_0", tool: "ledger_commit", action: "order-17", key: "k1" }],
        text: whole.text,
        tokens: { input: whole.usage?.prompt_tokens, output: whole.usage?.completion_tokens },
      },
    ]);
  });

  test("gives a text whose claim can be read", async () => {
    const ledger = new MemoryLedger();
    const whole = reassemble(await eventsOf(await post(ledger, ask(true, PROMPT, CALL, RESULT))));
    expect(whole).toMatchObject({ id: null, arguments: "", finish: ["stop"] });
    expect(parseClaim(whole.text)).toEqual({ claim: "committed", receipt: "r1" });
  });

  test("is the same bytes for the same request and call number", async () => {
    const read = async () => (await post(new MemoryLedger(), ask(true, PROMPT))).text();
    expect(await read()).toBe(await read());
  });

  test("has begun, and is not recorded, while the ledger holds the stream", async () => {
    const { ledger, reader, seen, release } = await heldStream();
    expect(seen).toContain('"role":"assistant"');
    expect(seen).not.toContain("order-17");
    expect(ledger.log).toEqual(["stream"]);
    release();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(ledger.log).toEqual(["stream", "model-answered:1"]);
    expect(rest).toContain("[DONE]");
  });

  test("is recorded before its arguments are complete", async () => {
    const ledger = new MemoryLedger();
    const response = await post(ledger, ask(true, PROMPT));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes('-17\\"}')) {
      const part = await reader.read();
      if (part.done) break;
      seen += part.value;
    }
    expect(seen).toContain('-17\\"}');
    expect(ledger.log).toContain("model-answered:1");
    await reader.cancel();
  });

  test("is not recorded when the client went away before the end", async () => {
    const { ledger, reader, release } = await heldStream();
    await reader.cancel();
    release();
    // The handler's remaining work is a chain of microtasks; a macrotask comes after all of it.
    await new Promise((resolve) => setImmediate(resolve));
    expect(ledger.log).toEqual(["stream"]);
  });

  test("breaks off without finish reason when the record cannot be made", async () => {
    const ledger = new MemoryLedger();
    ledger.append = () => Promise.reject(new Error("the journal is closed"));
    const data = await eventsOf(await post(ledger, ask(true, PROMPT)));
    expect(JSON.parse(data.at(-1)!)).toEqual({
      error: { message: "the journal is closed", type: "server_error", param: null, code: "broken-off" },
    });
    expect(data.join()).not.toContain('"finish_reason":"');
  });
});

describe("an answer in one piece", () => {
  test("carries the same decision as the stream", async () => {
    const ledger = new MemoryLedger();
    const streamed = reassemble(await eventsOf(await post(new MemoryLedger(), ask(true, PROMPT))));
    const response = await post(ledger, ask(false, PROMPT));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      model: "scripted",
      choices: [
        {
          message: {
            content: streamed.text,
            tool_calls: [
              { id: streamed.id, function: { name: streamed.name, arguments: streamed.arguments } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: streamed.usage!,
    });
    expect(ledger.log).toEqual(["model-answered:1"]);
  });
});

describe("what the ledger is told of a request", () => {
  test("names session, activation, results and notice", async () => {
    const ledger = new MemoryLedger();
    const notice = { role: "user", content: "The server was restarted." };
    const lost = { ...RESULT, content: "Tool execution interrupted: ledger_commit" };
    await post(ledger, ask(false, PROMPT, CALL, lost, notice), {
      "x-opencode-session-id": "ses_root",
      "x-kit-activation": "act-1",
    });
    expect(ledger.calls).toEqual([
      {
        purpose: "turn",
        activation: "act-1",
        session: "ses_root",
        messages: 4,
        results: [{ call: "call_1_0", tool: "ledger_commit", outcome: "error", text: lost.content }],
        restartNotice: true,
        prompts: 1,
        tokens: Math.ceil(
          (PROMPT.content.length + "ledger_commit{}".length + lost.content.length + notice.content.length) /
            4,
        ),
      },
    ]);
  });

  test("keeps the beginning of a long result", async () => {
    const ledger = new MemoryLedger();
    await post(ledger, ask(false, PROMPT, CALL, { ...RESULT, content: "x".repeat(5_000) }));
    expect(ledger.calls[0]?.results[0]?.text).toBe("x".repeat(2_000));
  });

  test("leaves unknown what no header says", async () => {
    const ledger = new MemoryLedger();
    await post(ledger, ask(false, PROMPT));
    expect(ledger.calls).toMatchObject([{ activation: null, session: null, restartNotice: false }]);
  });
});

describe("a refusal", () => {
  test.each([
    ["malformed-json", "{"],
    ["invalid-request", { model: "scripted", messages: [] }],
    ["invalid-request", { model: "scripted", messages: [{ role: "owner", content: "x" }] }],
    ["no-user-message", ask(true, { role: "system", content: "x" })],
    ["dangling-tool-call", ask(true, PROMPT, CALL)],
    ["orphan-tool-result", ask(true, PROMPT, RESULT)],
    ["misplaced-tool-result", ask(true, PROMPT, CALL, PROMPT, RESULT)],
    ["duplicate-tool-result", ask(true, PROMPT, CALL, RESULT, RESULT)],
    ["duplicate-call-id", ask(true, PROMPT, CALL, RESULT, CALL, RESULT)],
  ])("as %s is a 400 with a record and no model call", async (code, body) => {
    const ledger = new MemoryLedger();
    const response = await post(ledger, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", code } });
    expect(ledger.calls).toEqual([]);
    expect(ledger.records).toMatchObject([
      { type: "model.refused", status: 400, reason: expect.stringMatching(`^${code}: `) },
    ]);
  });

  test("of a held call by the ledger is a 503 that says why", async () => {
    const ledger = new MemoryLedger();
    ledger.beforeCall = () => Promise.reject(new Error("dropped"));
    const response = await post(ledger, ask(true, PROMPT));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { type: "server_error", message: "dropped" } });
    expect(ledger.records).toEqual([]);
  });

  test("of a request that is no good and that the ledger does not take down is a 503 that says why", async () => {
    const ledger = new MemoryLedger();
    ledger.append = () => Promise.reject(new Error("the trial has ended"));
    const response = await post(ledger, "no json");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { type: "server_error", code: "no-answer", message: "the trial has ended" },
    });
  });

  test("of another method is a 405", async () => {
    const response = await handleModelRequest(
      new Request("https://model.invalid/"),
      new MemoryLedger(),
      "t1",
      "chat/completions",
    );
    expect(response.status).toBe(405);
  });
});
