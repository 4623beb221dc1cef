/**
 * What tests, and the entries of the other layouts, may replace. Production code calls `create`, which uses the defaults;
 * nothing here can be reached through the options of `OpenCodeWorkerd.create`.
 */
import { sleep } from "./abortable.ts";
import type { Mutation } from "./mutations.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "./retry.ts";
import { LAYOUT_1, type TableLayout } from "./table-layouts.ts";

/** The two sides of a tool's effect that no durable event marks (host contract, section 9.3, rows 6 and 7). */
export type ToolBoundary = {
  /** `before-execute`: `tool.called` is committed. `after-execute`: the effect happened, nothing written yet. */
  side: "before-execute" | "after-execute";
  sessionID: string;
  messageID: string;
  callID: string;
  tool: string;
};

export type Internals = {
  /** Crash point on both sides of a tool's `execute`. It may call `ctx.abort()`. If it throws, the host halts: see `Life`. */
  readonly onToolBoundary: (boundary: ToolBoundary) => void;
  /** Rules to break. */
  readonly mutations: ReadonlySet<Mutation>;
  /** How its tables are laid out. */
  readonly layout: TableLayout;
  /**
   * The title call (host contract, section 4.5). Absent by default and said so in docs/stand-in.md, because it adds
   * one model call, unordered with the turn, to each new root session.
   */
  readonly title: "absent" | "call";
  readonly retry: RetryPolicy;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const DEFAULT_INTERNALS: Internals = {
  onToolBoundary: () => undefined,
  mutations: new Set(),
  layout: LAYOUT_1,
  title: "absent",
  retry: DEFAULT_RETRY_POLICY,
  clock: () => Date.now(),
  random: () => Math.random(),
  sleep,
};
