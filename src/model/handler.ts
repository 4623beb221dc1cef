/**
 * A model request in any dialect: reads the request, lets the ledger number it, decides, and answers. The order of
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
import type { Dialect, Refused } from "./dialects/dialect.ts";
import { DIALECTS, type DialectPath } from "./dialects/index.ts";
import type { ModelLedger } from "./ledger.ts";
import { answerOfReal, offeredTools, type RealModel } from "./real-model.ts";
import { type ModelRequest, textsOf } from "./request.ts";
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

type Env = { Bindings: { ledger: ModelLedger; trial: string; dialect: Dialect; real: RealModel | null } };

const app = new Hono<Env>();
app.post("*", complete);
app.all("*", (c) => c.json(c.env.dialect.error(invalid("method-not-allowed", "Use POST.")), 405));
// The text of an unforeseen error stays here: a client gets a sentence, never a stack trace.
app.onError((_error, c) =>
  c.json(c.env.dialect.error(failure("internal", "The scripted model failed.")), 500),
);

/**
 * `trial` names the ledger to whoever reaches it by a command line. `real` answers in trials that name a real model; null
 * where none can be reached.
 */
export async function handleModelRequest(
  request: Request,
  ledger: ModelLedger,
  trial: string,
  path: DialectPath,
  real: RealModel | null = null,
): Promise<Response> {
  return await app.fetch(request, { ledger, trial, dialect: DIALECTS[path], real });
}

async function complete(c: Context<Env>): Promise<Response> {
  const { ledger, trial, dialect, real } = c.env;
  const session = idHeader(c, SESSION_HEADER);
  const executor = idHeader(c, EXECUTOR_HEADER);
  const body = await c.req.text();
  const read = readRequest(body, dialect);
  if (!read.ok) {
    return refuse(c, `model-refused:${crypto.randomUUID()}`, 400, read.refused);
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
      prompts: conversation.prompts,
      tokens,
    });
  } catch (error) {
    return noAnswer(c, error);
  }

  let answer: Answer;
  if (config.model === undefined) {
    const decision = decide(conversation, config);
    if (decision.kind === "refusal") {
      const { code, message } = decision;
      return refuse(c, `model-refused:${config.call}`, 400, invalid(code, message, "tools"));
    }
    answer = answerOf(decision, conversation, config, tokens, { trial, session });
  } else
    try {
      const { call, model } = config;
      if (real === null) throw new Error(`The real model '${model}' cannot be reached from here.`);
      const said = await real({ model, messages: request.messages, tools: offeredTools(body) });
      answer = answerOfReal(said, { call, tokens, purpose: conversation.purpose });
    } catch (error) {
      return refusedByReal(c, config.call, error);
    }
  if (request.stream)
    return streamSSE(c, (stream) => streamAnswer(stream, answer, request.model, ledger, dialect));
  await record(ledger, answer);
  return c.json(dialect.whole(answer, request.model));
}

/** What he refused, or what reaching him failed with, is in the journal as a provider's refusal is. */
function refusedByReal(c: Context<Env>, call: number, error: unknown): Promise<Response> {
  return refuse(c, `model-refused:${call}`, 502, failure("real-model", sentenceOf(error)));
}

/** Is recorded before the client learns of it. */
async function refuse(c: Context<Env>, id: string, status: 400 | 502, refused: Refused): Promise<Response> {
  const { ledger, dialect } = c.env;
  const reason = `${refused.code}: ${refused.message}`.slice(0, 4_000);
  try {
    await ledger.append(id, { source: "model", type: "model.refused", status, reason });
  } catch (error) {
    return noAnswer(c, error);
  }
  return c.json(dialect.error(refused), status);
}

/** Of what the ledger does not take down, as after the trial's end, nothing is answered. */
function noAnswer(c: Context<Env>, error: unknown): Response {
  return c.json(c.env.dialect.error(failure("no-answer", sentenceOf(error))), 503);
}

async function streamAnswer(
  stream: SSEStreamingApi,
  answer: Answer,
  model: string,
  ledger: ModelLedger,
  dialect: Dialect,
): Promise<void> {
  const { begin, rest, finish } = dialect.events(answer, model);
  try {
    for (const event of begin) await stream.writeSSE(event);
    await ledger.modelStream({ call: answer.call });
    for (const event of rest) await stream.writeSSE(event);
    // An answer that nobody will read was not given.
    if (stream.aborted) return;
    await record(ledger, answer);
    for (const event of finish) await stream.writeSSE(event);
  } catch (error) {
    await stream.writeSSE(dialect.brokenOff(failure("broken-off", sentenceOf(error))));
  }
}

async function record(ledger: ModelLedger, answer: Answer): Promise<void> {
  await ledger.append(`model-answered:${answer.call}`, answer.record);
}

type ReadRequest = { ok: true; request: ModelRequest } | { ok: false; refused: Refused };

function readRequest(text: string, dialect: Dialect): ReadRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, refused: invalid("malformed-json", "The body is not JSON.") };
  }
  const parsed = dialect.request.safeParse(json);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join(".") ?? null;
    return { ok: false, refused: invalid("invalid-request", z.prettifyError(parsed.error), path) };
  }
  const breach = findBreach(parsed.data.messages);
  if (breach !== null) return { ok: false, refused: invalid(breach.code, breach.message, "messages") };
  return { ok: true, request: parsed.data };
}

function invalid(code: string, message: string, param: string | null = null): Refused {
  return { type: "invalid_request_error", code, message, param };
}

function failure(code: string, message: string): Refused {
  return { type: "server_error", code, message, param: null };
}

/** A header that is missing or no id is recorded as unknown, not as an error: the host decides what it sends. */
function idHeader(c: Context<Env>, name: string): string | null {
  const parsed = OpaqueId.safeParse(c.req.header(name));
  return parsed.success ? parsed.data : null;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
