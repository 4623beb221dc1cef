import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { type Provider, realModel } from "../controller/ai-binding.ts";
import type { RecordDraft } from "../trace/index.ts";
import type { ModelCallResponse } from "../trace/protocol/ledger-protocol.ts";
import { handleModelRequest } from "./handler.ts";
import type { ModelLedger } from "./ledger.ts";
import type { RealModel } from "./real-model.ts";

type Result = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Content = Result["content"];

const MODEL = "@cf/some/model";
const TOOL = {
  type: "function",
  function: {
    name: "ledger_commit",
    description: "Commits.",
    parameters: { type: "object", properties: { action: { type: "string" } } },
  },
};
const MESSAGES = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Record ticket:1." },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { id: "c1", type: "function", function: { name: "ledger_commit", arguments: '{"action":"ticket:1"}' } },
    ],
  },
  { role: "tool", tool_call_id: "c1", content: "aborted" },
];

/** Of a trial that names a real model. */
function ledger() {
  const records: RecordDraft[] = [];
  const calls: string[] = [];
  const own: ModelLedger = {
    modelCall: async (): Promise<ModelCallResponse> => {
      calls.push("asked");
      return { call: 1, ordinal: 1, policy: "reissue", key: "scenario", intended: [], model: MODEL };
    },
    modelStream: async () => undefined,
    append: async (_id, record) => void records.push(record),
  };
  return { own, records, calls };
}

/** The provider's model, which is asked for by its name and gives what it is told to. */
function provider(content: Content) {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content,
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 11, noCache: 11, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 7, text: 7, reasoning: 0 },
      },
      warnings: [],
    }),
  });
  const asked: string[] = [];
  const languageModel = (id: string) => {
    asked.push(id);
    return model;
  };
  return { model, asked, real: realModel({ languageModel } as unknown as Provider) };
}

function ask(own: ModelLedger, real: RealModel | null): Promise<Response> {
  const body = JSON.stringify({ model: "main", stream: false, messages: MESSAGES, tools: [TOOL] });
  const request = new Request("https://model.invalid/v1/chat/completions", { method: "POST", body });
  return handleModelRequest(request, own, "t1", "chat/completions", real);
}

describe("a real model", () => {
  it("is asked what the host asked, after that was recorded, and answers in the host's dialect", async () => {
    const { own, records, calls } = ledger();
    const call = { type: "tool-call", toolCallId: "c2", toolName: "ledger_commit" } as const;
    const { model, asked, real } = provider([
      { type: "text", text: "Once more." },
      { ...call, input: '{"action":"ticket:1","key":"k1"}' },
    ]);
    const answer = await ask(own, async (what) => {
      expect(calls).toEqual(["asked"]);
      return real(what);
    });
    expect(asked).toEqual([MODEL]);
    expect(model.doGenerateCalls[0]).toMatchObject({
      maxOutputTokens: 2_048,
      prompt: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Record ticket:1." }] },
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: "c1", toolName: "ledger_commit", input: { action: "ticket:1" } },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "ledger_commit",
              output: { type: "text", value: "aborted" },
            },
          ],
        },
      ],
      tools: [
        {
          type: "function",
          name: "ledger_commit",
          description: "Commits.",
          inputSchema: TOOL.function.parameters,
        },
      ],
    });
    expect(await answer.json()).toMatchObject({
      choices: [
        {
          message: {
            content: "Once more.",
            tool_calls: [
              {
                id: "c2",
                function: { name: "ledger_commit", arguments: '{"action":"ticket:1","key":"k1"}' },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    });
    expect(records).toMatchObject([
      {
        type: "model.answered",
        text: "Once more.",
        toolCalls: [{ call: "c2", tool: "ledger_commit", action: "ticket:1", key: "k1" }],
        tokens: { input: 11, output: 7 },
      },
    ]);
  });

  it("that fails has refused, in the journal too, with the provider's own words", async () => {
    const { own, records } = ledger();
    const answer = await ask(own, () => Promise.reject(new Error("5007: No such model")));
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain("5007: No such model");
    expect(records).toMatchObject([
      { type: "model.refused", status: 502, reason: "real-model: 5007: No such model" },
    ]);
  });

  it("that calls several tools at once is not cut to one of them", async () => {
    const { own, records } = ledger();
    const call = { type: "tool-call", toolName: "ledger_commit", input: "{}" } as const;
    const { real } = provider([
      { ...call, toolCallId: "c2" },
      { ...call, toolCallId: "c3" },
    ]);
    expect((await ask(own, real)).status).toBe(502);
    expect(records).toMatchObject([{ type: "model.refused" }]);
  });

  it("that cannot be reached is not replaced by the scripted one", async () => {
    const { own, records } = ledger();
    expect((await ask(own, null)).status).toBe(502);
    expect(records).toMatchObject([{ type: "model.refused", reason: expect.stringContaining(MODEL) }]);
  });
});
