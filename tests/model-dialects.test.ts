/** Every dialect of the scripted model in real workerd, read by clients that others have published. */
import { fileURLToPath } from "node:url";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText, tool } from "ai";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { localFetch } from "../scripts/local/process/local-fetch.ts";
import { operationPrompt } from "../src/model/index.ts";

let miniflare: Miniflare;
let base: URL;
beforeAll(async () => {
  const built = await build({
    entryPoints: [fileURLToPath(new URL("model/workers/scripted-model.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    write: false,
  });
  const worker = {
    name: "model",
    modules: [{ type: "ESModule" as const, path: "model.mjs", contents: built.outputFiles[0]?.text ?? "" }],
    compatibilityDate: "2026-11-01",
  };
  miniflare = new Miniflare(convertV4MiniflareOptions({ host: "127.0.0.1", workers: [worker] }));
  base = await miniflare.ready;
});
afterAll(() => miniflare.dispose());

const fetch = (input: string | URL | Request, init?: RequestInit) => localFetch(String(input), init);
const settings = () => ({ baseURL: new URL("/v1", base).href, apiKey: "none", fetch });
const MODELS = {
  "chat/completions": () =>
    createOpenAICompatible({ name: "chat", includeUsage: true, ...settings() }).chatModel("main"),
  responses: () => createOpenAI(settings()).responses("main"),
  messages: () => createAnthropic(settings()).messages("main"),
};

describe.each(Object.entries(MODELS))("the dialect %s in workerd", (_, model) => {
  it("carries a whole turn: a call, its receipt, and the claim that follows of it", async () => {
    const seen: unknown[] = [];
    const ledger_commit = tool({
      description: "Performs an action.",
      inputSchema: z.object({ action: z.string(), key: z.string(), payload: z.string() }),
      execute: async (input) => {
        seen.push(input);
        return { receipt: "r-77" };
      },
    });
    const result = streamText({
      model: model(),
      prompt: operationPrompt({ action: "order-17", key: "k1" }),
      tools: { ledger_commit },
      maxOutputTokens: 1_000,
      stopWhen: ({ steps }) => steps.length === 2,
    });
    expect(await result.text).toContain("r-77");
    expect(seen).toEqual([{ action: "order-17", key: "k1", payload: "record order-17" }]);
    expect(await result.finishReason).toBe("stop");
  });
});
