/**
 * The client that `OpenCodeWorkerd.create` returns: host contract, sections 2 and 3.
 *
 * Every method is `(input, {signal?, headers?}?)`. A declared error is thrown as its parsed body, a plain
 * object with `_tag`; anything else is an `Error`.
 */
import type { LiveEvent, LogItem } from "./events.ts";
import type { CompactionPayload, Delivery, InboxItem, SyntheticPayload, UserPayload } from "./inbox-types.ts";
import type { JsonObject, ModelRef, SessionMessage } from "./messages.ts";
import type { PluginDefinition } from "./plugin-types.ts";
import type { Location, SessionInfo } from "./session-types.ts";

export type RequestOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Record<string, string> | undefined;
};

type InSession = { readonly sessionID: string };
export type Order = "asc" | "desc";
export type Page<T> = { data: T[]; cursor: { previous?: string; next?: string } };

export type CreateSessionInput = {
  readonly id?: string;
  readonly parentID?: string;
  readonly title?: string;
  readonly agent?: string;
  readonly model?: ModelRef;
  readonly location?: Location;
  readonly metadata?: JsonObject;
  readonly permissions?: JsonObject[];
};
export type ListSessionsInput = {
  readonly limit?: number;
  readonly order?: Order;
  readonly search?: string;
  readonly parentID?: string;
  readonly directory?: string;
  readonly project?: string;
  readonly cursor?: string;
};
type Admission = { readonly id?: string; readonly delivery?: Delivery; readonly resume?: boolean };
export type PromptInput = InSession & Admission & UserPayload;
export type SyntheticInput = InSession & Admission & SyntheticPayload;
export type CompactInput = InSession & { readonly id?: string; readonly delivery?: Delivery };
export type ListMessagesInput = InSession & {
  readonly limit?: number;
  readonly order?: Order;
  readonly cursor?: string;
};
export type LogInput = InSession & { readonly after?: number; readonly follow?: boolean };
export type InboxRef = InSession & { readonly inboxID: string };

export type PermissionRequest = {
  id: string;
  sessionID: string;
  action: string;
  resources: string[];
  save?: string[];
  metadata?: JsonObject;
  message?: string;
  source?: { type: "tool"; messageID: string; id: string };
};

type Method<Input, Output> = (input: Input, options?: RequestOptions) => Promise<Output>;

export type SessionGroup = {
  create: Method<CreateSessionInput, SessionInfo>;
  get: Method<InSession, SessionInfo>;
  list: Method<ListSessionsInput, Page<SessionInfo>>;
  active: (input?: undefined, options?: RequestOptions) => Promise<Record<string, { type: "running" }>>;
  prompt: Method<PromptInput, InboxItem<"user">>;
  synthetic: Method<SyntheticInput, InboxItem<"synthetic">>;
  compact: Method<CompactInput, InboxItem<"compaction"> & { payload: CompactionPayload }>;
  wait: Method<InSession, undefined>;
  resume: Method<InSession, undefined>;
  interrupt: Method<InSession & { readonly resume?: boolean }, { interrupted: boolean }>;
  context: Method<InSession, SessionMessage[]>;
  log: (input: LogInput, options?: RequestOptions) => AsyncIterable<LogItem>;
  switchModel: Method<InSession & { readonly model: ModelRef }, undefined>;
  switchAgent: Method<InSession & { readonly agent: string }, undefined>;
  fork: Method<InSession & { readonly before?: string }, SessionInfo>;
  inbox: {
    list: Method<InSession, InboxItem[]>;
    cancel: Method<InboxRef, undefined>;
    update: Method<InboxRef & { readonly delivery: Delivery }, undefined>;
  };
};

export type EventGroup = { subscribe: (options?: RequestOptions) => AsyncIterable<LiveEvent> };

export type PluginStatus = { id: string; status: "pending" | "active" | "failed"; error?: string };

export type HostInterface = {
  readonly session: SessionGroup;
  readonly sessions: SessionGroup;
  readonly message: { list: Method<ListMessagesInput, Page<SessionMessage>> };
  readonly event: EventGroup;
  readonly events: EventGroup;
  readonly permission: { list: Method<InSession, PermissionRequest[]> };
  readonly plugin: ((definition: PluginDefinition) => Promise<void>) & {
    list: (input?: undefined, options?: RequestOptions) => Promise<PluginStatus[]>;
  };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogEntry = { level: LogLevel; message: string; detail?: JsonObject };

/** Host contract, section 2.1. `storage` is the object's own, or the harness's prefixing view of it. */
export type CreateOptions = {
  readonly storage: DurableObjectStorage;
  /** A plain config object, or one tree's `{content: "<json>"}` (host contract, section 15, question 2). */
  readonly config?: JsonObject | { readonly content: string };
  readonly plugins?: readonly PluginDefinition[];
  readonly models?: { readonly snapshot?: boolean; readonly fetch?: boolean };
  readonly app?: { readonly name: string; readonly version?: string };
  readonly log?: { readonly level?: LogLevel; readonly emit?: (entry: LogEntry) => void };
  /** Documented for releases after 2.0.21 only (host contract, section 15, question 3). */
  readonly fetch?: typeof globalThis.fetch;
};
