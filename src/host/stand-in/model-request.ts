/**
 * From a session to a provider request: host contract, sections 4.5 (headers), 9.4 (history) and 10.2 (step limit).
 */
import type { ModelRef, SessionMessage } from "../types/messages.ts";
import type { SessionInfo } from "../types/session-types.ts";
import type { ChatRequest } from "./chat-completions.ts";
import { modelOf, routeOf } from "./config.ts";
import { HOST_IDENTITY } from "./identity.ts";
import { type ChatMessage, toChatMessages } from "./model-history.ts";
import type { Host } from "./stand-in-host.ts";
import { type Toolset, toChatTools } from "./toolset.ts";

const MAX_STEPS_NOTICE =
  "MAXIMUM STEPS REACHED\n\nTools are disabled for this answer. Say what was done and what is left to do.";

export type Speaker = { agent: string; model: ModelRef | undefined };

/** Who answers the session's next step; read anew for each step, so that a switch takes effect there. */
export function speakerOf(host: Host, sessionID: string): Speaker {
  const session = host.sessions.get(sessionID);
  const agent = session?.agent ?? host.config.default_agent;
  return { agent, model: modelOf(host.config, agent, session?.model) };
}

/** @throws ProviderError when no provider offers the model. */
export function stepRequest(
  host: Host,
  input: {
    session: SessionInfo;
    speaker: Speaker;
    toolset: Toolset;
    atLimit: boolean;
    signal: AbortSignal;
  },
): ChatRequest {
  const { session, speaker, toolset, atLimit, signal } = input;
  const history = toChatMessages(host.messages.context(session.id));
  return {
    ...base(host, session, speaker.model, signal),
    messages: [
      systemPrompt(host, speaker.agent),
      ...history,
      ...(atLimit ? [{ role: "user", content: MAX_STEPS_NOTICE } as const] : []),
    ],
    tools: toChatTools(toolset),
    toolChoice: atLimit ? "none" : "auto",
  };
}

/** A request without tools: compaction and title. */
export function plainRequest(
  host: Host,
  input: {
    session: SessionInfo;
    speaker: Speaker;
    system: string;
    messages: readonly SessionMessage[];
    instruction: string;
    signal: AbortSignal;
  },
): ChatRequest {
  return {
    ...base(host, input.session, input.speaker.model, input.signal),
    messages: [
      { role: "system", content: input.system },
      ...toChatMessages(input.messages),
      { role: "user", content: input.instruction },
    ],
    tools: [],
    toolChoice: "none",
  };
}

function base(host: Host, session: SessionInfo, model: ModelRef | undefined, signal: AbortSignal) {
  return {
    route: routeOf(host.config, model),
    headers: {
      "x-opencode-session-id": session.id,
      "x-session-id": session.id,
      "x-session-affinity": session.id,
      "x-opencode-session": session.id,
      "x-opencode-project": session.projectID,
      "x-opencode-client": host.app.name,
      "user-agent": `${HOST_IDENTITY.name}/${HOST_IDENTITY.version} ${host.app.name}/${host.app.version}`,
    },
    fetch: host.fetch,
    clock: host.internals.clock,
    signal,
  };
}

function systemPrompt(host: Host, agent: string): ChatMessage {
  const prompt = host.config.agents[agent]?.prompt;
  return {
    role: "system",
    content: prompt ?? `You are the agent "${agent}". Use the tools you are given to do what the user asks.`,
  };
}
