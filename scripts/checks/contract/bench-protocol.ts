/** What the tests (Node) and the worker under test agree on. Types only. */

import type { ChatMessage } from "../../../src/host/stand-in/model-history.ts";
import type { Mutation } from "../../../src/host/stand-in/mutations.ts";

export type HostName = "stand-in" | "sdk";

/** One scripted answer of the fake model; the n-th request gets the n-th. */
export type Answer = {
  text?: string[];
  reasoning?: string[];
  calls?: { id: string; name: string; arguments: string }[];
  /** The raw finish reason; null ends the stream without one. */
  finish?: string | null;
  usage?: { prompt_tokens: number; completion_tokens: number };
  /** An HTTP error instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /**
   * Where the answer stops until `release`: before anything (`request`), after the first stream event (`open`),
   * after the text (`text`), in the middle of a call's arguments (`arguments`), or after the calls (`calls`).
   */
  hold?: "request" | "open" | "text" | "arguments" | "calls";
};

/**
 * Where an activation is reset with `ctx.abort()`. `nth` counts from 1 within the activation. All but `halt` are
 * reached through published interfaces, so that any host can be put through them.
 */
export type CrashPoint =
  /** Right after the transaction that stored the event: seen in the storage that the host is given. */
  (
    | { event: string }
    /** In the plugin hooks around a tool: `tool.called` is stored; the effect has not happened, or just has. */
    | { tool: "before-execute" | "after-execute" }
    /** While the tools' plugin is set up, which the first prompt does before it admits anything. */
    | { setup: true }
    /** The host dies and the object lives on: a seam of the stand-in. */
    | { halt: "before-execute" | "after-execute" }
  ) & {
    nth?: number;
  };

export type Plan = {
  script?: Answer[];
  /** Crash points by activation: the first entry is for the first activation. */
  crashes?: (CrashPoint | null)[];
  mutations?: Mutation[];
  config?: Record<string, unknown>;
  configAsContent?: boolean;
  title?: "absent" | "call";
  retries?: number;
  /** The published delays between retries, announced but not waited for. Only the stand-in can do that. */
  delays?: "published";
  /** `global`: no `fetch` option, so that the host has to use `globalThis.fetch`. */
  fetch?: "option" | "global";
  plugins?: ("broken" | "codemode" | "large")[];
};

export type ModelRequest = {
  purpose: "turn" | "title" | "compaction";
  activation: number;
  /** Which `fetch` the host used. */
  via: "option" | "global";
  headers: Record<string, string>;
  body: {
    model: string;
    messages: ChatMessage[];
    tools?: { function: { name: string } }[];
    tool_choice?: string;
    max_tokens: number;
    stream: boolean;
  };
};

export type Effect = { tool: string; callID: string; messageID: string; session: string; activation: number };

/** What an execution of a tool was handed, as its keys. */
export type ToolContextKeys = string[];

/** What the tables held when an activation began, before the host was opened. */
export type BootState = {
  activation: number;
  /** Sessions whose claim is set. */
  claims: string[];
  /** Of the root session, as is everything below. */
  attempts: number;
  inbox: { id: string; type: string }[];
  events: string[];
  messages: { id: string; type: string; data: Record<string, unknown> }[];
};

/** Names of the host's tables and indexes, with the harness's prefix. */
export type Catalog = {
  tables: string[];
  indexes: string[];
  /** Columns of the session table. */
  sessionColumns: string[];
  /** Ids of the migrations that the host has made. */
  migrations: string[];
};

export type BenchState = {
  activations: number;
  boots: BootState[];
  /** Turns and compactions. A title call may come at any time beside them, so it is kept apart. */
  requests: ModelRequest[];
  titles: ModelRequest[];
  effects: Effect[];
  toolContexts: ToolContextKeys[];
  logs: { level: string; message: string }[];
};

/** A client call's outcome: thrown values keep whether they were an `Error`. */
export type Outcome =
  | { ok: true; value: unknown }
  | { ok: false; isError: boolean; name?: string; value: unknown };
