/**
 * `POST …/chat/completions`: reads the request, lets the ledger number it, decides, and answers. The order of
 * evidence and effect is the point of this file: `model.requested` is recorded before anything is answered, and
 * `model.answered` before the client can act on the answer.
 *
 * Leaves to others: authorization and routing (controller), every hold (ledger).
 */
import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { z } from "zod";
import { OpaqueId } from "../trace/index.ts";
import type { ModelCallResponse } from "../trace/protocol/ledger-protocol.ts";
import { type Answer, answerOf } from "./answer.ts";
import { viewOf } from "./conversation.ts";
import { decide } from "./decide.ts";
import { chunksOf, completionOf, errorOf } from "./encode.ts";
import type { ModelLedger } from "./ledger.ts";
import { ChatRequest, textsOf } from "./request.ts";
import { findBreach } from "./strictness.ts";
import { countTokens } from "./tokens.ts";
import { isOk } from "./told-outcome.ts";

/** Who sent the request: the session as OpenCode names it, the activation as the kit's provider names it. */
export const SESSION_HEADER = "x-opencode-session-id";
export const ACTIVATION_HEADER = "x-kit-activation";
/** Where the work is done apart from the object: the executor. */
export const EXECUTOR_HEADER = "x-kit-executor";

/** Limit of what `model.requested` keeps of one result. */
const RESULT_TEXT_MAX = 2_000;

type Env = { Bindings: { ledger: ModelLedger; trial: string } };

const app = new Hono<Env>();
app.post("*", complete);
app.all("*", (c) => c.json(errorOf("invalid_request_error", "method-not-allowed", "Use POST."), 405));
// The text of an unforeseen error stays here: a client gets a sentence, never a stack trace.
app.onError((_error, c) => c.json(errorOf("server_error", "internal", "The scripted model failed."), 500));

/** `trial` names the ledger to whoever reaches it by a command line. */
export async function handleChatCompletions(
  request: Request,
  ledger: ModelLedger,
  trial: string,
): Promise<Response> {
  return await app.fetch(request, { ledger, trial });
}

async function complete(c: Context<Env>): Promise<Response> {
  const { ledger, trial } = c.env;
  const session = idHeader(c, SESSION_HEADER);
  const executor = idHeader(c, EXECUTOR_HEADER);
  const read = readRequest(await c.req.text());
  if (!read.ok) {
    try {
      await ledger.append(`model-refused:${crypto.randomUUID()}`, {
        source: "model",
        type: "model.refused",
        status: 400,
        reason: `${read.code}: ${read.message}`.slice(0, 4_000),
      });
    } catch (error) {
      return noAnswer(c, error);
    }
    return c.json(errorOf("invalid_request_error", read.code, read.message, read.param), 400);
  }

  const { request } = read;
  const conversation = viewOf(request);
  const tokens = countTokens(textsOf(request.messages));
  let config: ModelCallResponse;
  try {
    config = await ledger.modelCall({
      purpose: conversation.purpose,
      activation: idHeader(c, ACTIVATION_HEADER),
      ...(executor === null ? {} : { executor }),
      session,
      messages: request.messages.length,
      results: conversation.results.map(({ call, tool, outcome, text }) => ({
        call,
        tool: tool.slice(0, 100),
        outcome: isOk(outcome) ? "ok" : "error",
        text: text.slice(0, RESULT_TEXT_MAX),
      })),
      restartNotice: conversation.restartNotice,
      tokens,
    });
  } catch (error) {
    return noAnswer(c, error);
  }

  const answer = answerOf(decide(conversation, config), conversation, config, tokens, { trial, session });
  if (request.stream) return streamSSE(c, (stream) => streamAnswer(stream, answer, request.model, ledger));
  await record(ledger, answer);
  return c.json(completionOf(answer, request.model));
}

/** Of what the ledger does not take down, as after the trial's end, nothing is answered. */
function noAnswer(c: Context<Env>, error: unknown): Response {
  return c.json(errorOf("server_error", "no-answer", sentenceOf(error)), 503);
}

async function streamAnswer(
  stream: SSEStreamingApi,
  answer: Answer,
  model: string,
  ledger: ModelLedger,
): Promise<void> {
  const send = (value: unknown) => stream.writeSSE({ data: JSON.stringify(value) });
  const chunks = chunksOf(answer, model);
  try {
    for (const chunk of chunks.begin) await send(chunk);
    await ledger.modelStream({ call: answer.call });
    for (const chunk of chunks.rest) await send(chunk);
    // An answer that nobody will read was not given.
    if (stream.aborted) return;
    await record(ledger, answer);
    for (const chunk of chunks.finish) await send(chunk);
    await stream.writeSSE({ data: "[DONE]" });
  } catch (error) {
    // Without finish reason and end marker, the client takes the stream for broken off, as it is.
    await send(errorOf("server_error", "broken-off", sentenceOf(error)));
  }
}

async function record(ledger: ModelLedger, answer: Answer): Promise<void> {
  await ledger.append(`model-answered:${answer.call}`, answer.record);
}

type ReadRequest =
  | { ok: true; request: ChatRequest }
  | { ok: false; code: string; message: string; param: string | null };

function readRequest(text: string): ReadRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, code: "malformed-json", message: "The body is not JSON.", param: null };
  }
  const parsed = ChatRequest.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return {
      ok: false,
      code: "invalid-request",
      message: z.prettifyError(parsed.error),
      param: issue === undefined ? null : issue.path.join("."),
    };
  }
  const breach = findBreach(parsed.data.messages);
  if (breach !== null) return { ok: false, ...breach, param: "messages" };
  return { ok: true, request: parsed.data };
}

/** A header that is missing or no id is recorded as unknown, not as an error: the host decides what it sends. */
function idHeader(c: Context<Env>, name: string): string | null {
  const parsed = OpaqueId.safeParse(c.req.header(name));
  return parsed.success ? parsed.data : null;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
