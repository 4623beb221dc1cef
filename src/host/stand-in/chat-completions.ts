/**
 * One streamed request to an OpenAI-compatible provider: host contract, section 4.5.
 *
 * Complete tool calls are handed over only after the provider's stream has ended, so that no tool runs before
 * then; the first fragment of a call is reported at once.
 */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import type { Finish, Tokens } from "../types/messages.ts";
import { abortable } from "./abortable.ts";
import { maxOutput, type Route } from "./config.ts";
import type { ChatMessage } from "./model-history.ts";
import {
  httpFailure,
  incompleteStream,
  invalidOutput,
  ProviderError,
  streamError,
  timeoutFailure,
  transportFailure,
} from "./provider-failure.ts";

export type ChatTool = {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

export type ChatRequest = {
  readonly route: Route;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly toolChoice: "auto" | "none";
  readonly headers: Record<string, string>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: () => number;
  readonly signal: AbortSignal;
};

export type ProviderEvent =
  /** The provider has begun to answer: its first stream event, whatever it holds. */
  | { type: "started" }
  | { type: "text"; delta: string }
  | { type: "reasoning"; delta: string }
  | { type: "tool-started"; index: number; id: string; name: string }
  /** `raw` is the whole argument text. */
  | { type: "tool-call"; id: string; name: string; raw: string }
  | { type: "finished"; finish: Finish; rawFinish: string; tokens: Tokens };

const ToolCallDelta = z.looseObject({
  index: z.number().default(0),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: z.array(ToolCallDelta).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .looseObject({
      prompt_tokens: z.number().default(0),
      completion_tokens: z.number().default(0),
      prompt_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish(),
      completion_tokens_details: z.looseObject({ reasoning_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
  error: z.looseObject({ message: z.string().default("The provider reported an error") }).nullish(),
});
type Chunk = z.infer<typeof Chunk>;

const FINISH: Record<string, Finish> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

const NO_TOKENS: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** @throws ProviderError on every failure of the provider; the signal's reason when aborted. */
export async function* streamChat(request: ChatRequest): AsyncGenerator<ProviderEvent> {
  // Ends the request itself when this generator is left early or gives up waiting.
  const ended = new AbortController();
  try {
    yield* stream({ ...request, signal: AbortSignal.any([request.signal, ended.signal]) });
  } finally {
    ended.abort();
  }
}

async function* stream(request: ChatRequest): AsyncGenerator<ProviderEvent> {
  const response = await send(request);
  const calls = new Map<number, { id: string; name: string; raw: string }>();
  let rawFinish: string | undefined;
  let tokens = NO_TOKENS;
  let started = false;
  for await (const chunk of chunksOf(response, request)) {
    if (!started) yield { type: "started" };
    started = true;
    if (chunk.error != null) throw new ProviderError(streamError(chunk.error.message));
    if (chunk.usage != null) tokens = tokensOf(chunk.usage);
    const choice = chunk.choices[0];
    if (choice === undefined) continue;
    const { delta } = choice;
    if (delta?.reasoning_content) yield { type: "reasoning", delta: delta.reasoning_content };
    if (delta?.content) yield { type: "text", delta: delta.content };
    for (const fragment of delta?.tool_calls ?? []) {
      const known = calls.get(fragment.index);
      const raw = fragment.function?.arguments ?? "";
      if (known !== undefined) known.raw += raw;
      else {
        const call = {
          id: fragment.id ?? `call_${fragment.index}`,
          name: fragment.function?.name ?? "",
          raw,
        };
        calls.set(fragment.index, call);
        yield { type: "tool-started", index: fragment.index, id: call.id, name: call.name };
      }
    }
    if (choice.finish_reason != null) rawFinish = choice.finish_reason;
  }
  const finish = rawFinish === undefined ? undefined : FINISH[rawFinish];
  if (rawFinish === undefined || finish === undefined) throw new ProviderError(incompleteStream());
  for (const call of calls.values()) yield { type: "tool-call", ...call };
  yield { type: "finished", finish, rawFinish, tokens };
}

async function send(request: ChatRequest): Promise<Response> {
  const { route, signal } = request;
  let response: Response;
  try {
    const answer = abortable(
      request.fetch(`${route.baseURL}/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream",
          ...(route.apiKey === undefined ? {} : { authorization: `Bearer ${route.apiKey}` }),
          ...route.headers,
          ...request.headers,
        },
        body: JSON.stringify(bodyOf(request)),
        signal,
      }),
      signal,
    );
    response = await within(answer, route.headerTimeoutMs);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError(transportFailure(messageOf(cause)), { cause });
  }
  if (!response.ok) {
    const text = await response.text().catch(() => "");
    throw new ProviderError(httpFailure(response.status, text, response.headers, request.clock()));
  }
  if (!response.headers.get("content-type")?.includes("text/event-stream") || response.body === null) {
    await response.body?.cancel();
    throw new ProviderError(invalidOutput("The provider did not answer with an event stream"));
  }
  return response;
}

function bodyOf({ route, messages, tools, toolChoice }: ChatRequest): Record<string, unknown> {
  return {
    model: route.modelID,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: maxOutput(route),
    ...(tools.length === 0 ? {} : { tools, tool_choice: toolChoice }),
    ...route.body,
  };
}

async function* chunksOf(response: Response, { route, signal }: ChatRequest): AsyncGenerator<Chunk> {
  if (response.body === null) return;
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const piece = within(abortable(reader.read(), signal), route.chunkTimeoutMs);
      const next = await piece.catch((cause: unknown) => {
        signal.throwIfAborted();
        if (cause instanceof ProviderError) throw cause;
        throw new ProviderError(transportFailure(messageOf(cause)), { cause });
      });
      if (next.done || next.value.data === "[DONE]") return;
      yield parseChunk(next.value.data);
    }
  } finally {
    // After an error or an abort there is nothing left to cancel, and the attempt may reject.
    reader.cancel().catch(() => undefined);
  }
}

/** @throws ProviderError that counts as a timeout, which has fewer retries (host contract, section 10.1). */
async function within<T>(work: Promise<T>, limitMs: number | undefined): Promise<T> {
  if (limitMs === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const message = `The provider was silent for ${limitMs} ms`;
    timer = setTimeout(() => reject(new ProviderError(timeoutFailure(message))), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function parseChunk(data: string): Chunk {
  try {
    return Chunk.parse(JSON.parse(data));
  } catch (cause) {
    throw new ProviderError(invalidOutput("The provider sent an unreadable stream event"), { cause });
  }
}

function tokensOf(usage: NonNullable<Chunk["usage"]>): Tokens {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    input: usage.prompt_tokens - cached,
    output: usage.completion_tokens - reasoning,
    reasoning,
    cache: { read: cached, write: 0 },
  };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
