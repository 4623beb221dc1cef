/**
 * Compaction: host contract, section 10.3. A model call without tools; afterwards the context begins at its summary.
 * Old messages stay in the table.
 */
import type { InboxItem } from "../types/inbox-types.ts";
import type { SessionError, SessionMessage, Tokens } from "../types/messages.ts";
import { streamChat } from "./chat-completions.ts";
import { modelOf, routeOf } from "./config.ts";
import type { Publication } from "./event-log.ts";
import { toChatMessages } from "./model-history.ts";
import { plainRequest, speakerOf } from "./model-request.ts";
import { delivery } from "./prompt-inbox.ts";
import { ProviderError } from "./provider-failure.ts";
import type { Host } from "./stand-in-host.ts";

const SYSTEM = "You summarise conversations so that the work can go on from the summary alone.";
const INSTRUCTION =
  "Summarise the conversation above: the goal, what was done with its results, and what is left to do.";

/** Host contract, section 10.3 counts tokens; without a tokenizer, four characters count as one. */
const CHARACTERS_PER_TOKEN = 4;

type CompactInput = {
  readonly sessionID: string;
  readonly reason: "auto" | "manual";
  readonly item?: InboxItem;
  readonly signal: AbortSignal;
};

/** @returns Whether there is a new summary. */
export async function compact(host: Host, input: CompactInput): Promise<boolean> {
  const { sessionID, reason, item, signal } = input;
  const session = host.sessions.get(sessionID);
  if (session === undefined) return false;
  const context = host.messages.context(sessionID);
  const recent = recentText(context, host.config.compaction.keep.tokens);
  const started: Publication = {
    type: "session.compaction.started",
    data: { sessionID, reason, recent, ...(item === undefined ? {} : { inputID: item.id }) },
  };
  await host.log.publishAll(item === undefined ? [started] : [delivery(item), started]);
  const fail = (error: SessionError) =>
    host.log.publish("session.compaction.failed", {
      sessionID,
      reason,
      error,
      ...(item === undefined ? {} : { inputID: item.id }),
    });
  try {
    const speaker = speakerOf(host, sessionID);
    const request = plainRequest(host, {
      session,
      speaker,
      system: SYSTEM,
      messages: context,
      instruction: INSTRUCTION,
      signal,
    });
    let text = "";
    let tokens: Tokens | undefined;
    for await (const event of streamChat(request)) {
      if (event.type === "text") {
        text += event.delta;
        host.log.emit("session.compaction.delta", { sessionID, delta: event.delta });
      }
      if (event.type === "finished") tokens = event.tokens;
    }
    await host.log.publish("session.compaction.ended", {
      sessionID,
      reason,
      model: request.route.ref,
      text,
      recent,
      cost: 0,
      ...(tokens === undefined ? {} : { tokens }),
    });
    return true;
  } catch (error) {
    if (host.life.halted) throw error;
    if (signal.aborted) {
      await fail({ type: "compaction.interrupted", message: "Compaction was interrupted" });
      throw error;
    }
    if (!(error instanceof ProviderError)) throw error;
    await fail(error.failure.error);
    return false;
  }
}

/** Whether the last answer left less than the buffer of the model's window. */
export function isNearLimit(host: Host, sessionID: string): boolean {
  const { auto, buffer } = host.config.compaction;
  if (!auto) return false;
  const session = host.sessions.get(sessionID);
  const agent = session?.agent ?? host.config.default_agent;
  const window = windowOf(host, agent, session?.model);
  const last = host.messages.context(sessionID).findLast((message) => message.type === "assistant");
  if (window === undefined || last?.type !== "assistant" || last.tokens === undefined) return false;
  return totalOf(last.tokens) >= window - buffer;
}

function windowOf(host: Host, agent: string, selected: Parameters<typeof modelOf>[2]): number | undefined {
  try {
    return routeOf(host.config, modelOf(host.config, agent, selected)).limit?.context;
  } catch (error) {
    // Without a model there is no window; the step that follows reports the missing route.
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

function totalOf(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.reasoning + tokens.cache.read + tokens.cache.write;
}

/** The newest messages, as text, within the budget: what a summary alone would blur. */
function recentText(context: readonly SessionMessage[], keepTokens: number): string {
  const lines = toChatMessages(context).map((message) => `${message.role}: ${message.content ?? ""}`);
  let left = keepTokens * CHARACTERS_PER_TOKEN;
  const kept: string[] = [];
  for (const line of lines.reverse()) {
    left -= line.length;
    if (left < 0) break;
    kept.push(line);
  }
  return kept.reverse().join("\n");
}
