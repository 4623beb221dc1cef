/**
 * Durable and ephemeral events of an OpenCode 2 host: host contract, sections 5.1 to 5.3.
 *
 * `DurableEventMap` holds the payload of each durable type; every payload names its session, which is
 * also the event's aggregate.
 */
import type { InboxItemBody } from "./inbox-types.ts";
import type { Finish, JsonObject, ModelRef, SessionError, Tokens, ToolContent } from "./messages.ts";
import type { Location } from "./session-types.ts";

type InSession = { sessionID: string };
type InAssistant = InSession & { assistantMessageID: string };

export type DurableEventMap = {
  "session.created": InSession & {
    projectID: string;
    location: Location;
    subpath?: string;
    parentID?: string;
    slug: string;
    title?: string;
    agent?: string;
    model?: ModelRef;
    metadata?: JsonObject;
    permissions?: JsonObject[];
    version: string;
  };
  "session.forked": InSession & { parentID: string; boundary: number };
  "session.agent.selected": InSession & { agent: string; previous?: string };
  "session.model.selected": InSession & { model: ModelRef; previous?: ModelRef };
  "session.renamed": InSession & { title: string };
  "session.usage.recorded": InSession & { source: "title" | "compaction"; cost: number; tokens: Tokens };
  "session.inbox.enqueued": InSession & { inboxID: string; item: InboxItemBody };
  "session.inbox.delivered": InSession & { inboxID: string };
  "session.inbox.cancelled": InSession & { inboxID: string };
  "session.inbox.delivery.changed": InSession & { inboxID: string; delivery: "steer" | "queue" };
  "session.execution.started": InSession;
  "session.execution.succeeded": InSession;
  "session.execution.failed": InSession & { error: SessionError };
  "session.execution.interrupted": InSession & {
    reason: "user" | "shutdown" | "superseded" | "inactivity";
  };
  "session.synthetic": InSession & { text: string; description?: string; metadata?: JsonObject };
  "session.step.started": InAssistant & { agent: string; model: ModelRef; started: number };
  "session.step.streamed": InAssistant;
  "session.step.ended": InAssistant & { finish: Finish; rawFinish?: string; cost: number; tokens: Tokens };
  "session.step.failed": InAssistant & {
    error: SessionError;
    finish?: "content-filter";
    rawFinish?: string;
    cost?: number;
    tokens?: Tokens;
  };
  "session.text.started": InAssistant & { ordinal: number };
  "session.text.ended": InAssistant & { ordinal: number; text: string };
  "session.reasoning.started": InAssistant & { ordinal: number };
  "session.reasoning.ended": InAssistant & { ordinal: number; text: string };
  "session.tool.input.started": InAssistant & { id: string; name: string };
  "session.tool.input.ended": InAssistant & { id: string; text: string };
  "session.tool.called": InAssistant & { id: string; input: JsonObject; executed: boolean };
  "session.tool.success": InAssistant & {
    id: string;
    content: ToolContent[];
    metadata?: JsonObject;
    executed: boolean;
  };
  "session.tool.failed": InAssistant & {
    id: string;
    error: SessionError;
    content?: ToolContent[];
    metadata?: JsonObject;
    executed: boolean;
  };
  "session.retry.scheduled": InAssistant & { attempt: number; at: number; error: SessionError };
  "session.compaction.started": InSession & {
    reason: "auto" | "manual";
    recent: string;
    inputID?: string;
  };
  "session.compaction.ended": InSession & {
    reason: "auto" | "manual";
    model?: ModelRef;
    text: string;
    recent: string;
    cost?: number;
    tokens?: Tokens;
  };
  "session.compaction.failed": InSession & {
    reason: "auto" | "manual";
    error: SessionError;
    inputID?: string;
  };
};

export type DurableEventType = keyof DurableEventMap;

export type Durable = { aggregateID: string; seq: number; version: number };

type Envelope<Type extends string, Data> = {
  id: string;
  created: number;
  type: Type;
  data: Data;
};

export type DurableEvent<T extends DurableEventType = DurableEventType> = {
  [K in T]: Envelope<K, DurableEventMap[K]> & { durable: Durable };
}[T];

/** Never stored, never in `log` (host contract, section 5.3). */
export type EphemeralEventMap = {
  "server.connected": Record<string, never>;
  "session.text.delta": InAssistant & { ordinal: number; delta: string };
  "session.reasoning.delta": InAssistant & { ordinal: number; delta: string };
  "session.tool.progress": InAssistant & { id: string; metadata: JsonObject };
  "session.compaction.delta": InSession & { delta: string };
  "permission.asked": {
    id: string;
    sessionID: string;
    action: string;
    resources: string[];
    message?: string;
  };
  "permission.replied": { sessionID: string; requestID: string; reply: "once" | "always" | "reject" };
};

export type EphemeralEventType = keyof EphemeralEventMap;

export type EphemeralEvent<T extends EphemeralEventType = EphemeralEventType> = {
  [K in T]: Envelope<K, EphemeralEventMap[K]>;
}[T];

/** The marker that ends the replay of `log` (host contract, section 3.6). */
export type LogSynced = { type: "log.synced"; aggregateID: string; seq?: number };

export type LogItem = DurableEvent | LogSynced;
export type LiveEvent = DurableEvent | EphemeralEvent;
