/** What the tests (Node) and the worker under test agree on. Types only. */

import type { ChatMessage } from "../../src/host/stand-in/model-history.ts";
import type { Mutation } from "../../src/host/stand-in/mutations.ts";

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
   * after the text (`text`), or in the middle of a call's arguments (`arguments`).
   */
  hold?: "request" | "open" | "text" | "arguments";
};

/**
 * Where an activation dies. `nth` counts from 1 within the activation. By default the object is reset with
 * `ctx.abort()`; with `halt` the seam throws instead, and only the host is dead.
 */
export type CrashPoint = (
  | { event: string }
  | { tool: "before-execute" | "after-execute" }
  /** While the tools' plugin is set up, which the first prompt does before it admits anything. */
  | { setup: true }
) & {
  nth?: number;
  halt?: boolean;
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
  plugins?: ("broken" | "codemode")[];
};

export type ModelRequest = {
  purpose: "turn" | "title" | "compaction";
  activation: number;
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
export type Catalog = { tables: string[]; indexes: string[] };

export type BenchState = {
  activations: number;
  boots: BootState[];
  requests: ModelRequest[];
  effects: Effect[];
  logs: { level: string; message: string }[];
};

/** A client call's outcome: thrown values keep whether they were an `Error`. */
export type Outcome =
  | { ok: true; value: unknown }
  | { ok: false; isError: boolean; name?: string; value: unknown };
