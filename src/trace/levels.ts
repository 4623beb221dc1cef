/**
 * The levels of every factor, as literal names. One noun per idea: these strings are what the CLI takes,
 * what a trace stores and what a report prints.
 *
 * Leaves to others: which combinations make sense (experiments), what they do (controller, ledger, model).
 */
import { z } from "zod";

/** The harness under test, or a deliberately broken canary subject that the judge must convict. */
export const Subject = z.enum(["opencode", "canary-replay"]);
export type Subject = z.infer<typeof Subject>;

/** Where the OpenCode host comes from. `none`: the subject has no OpenCode host (canary subjects). */
export const HostKind = z.enum(["sdk", "stand-in", "none"]);
export type HostKind = z.infer<typeof HostKind>;

/** Where in the turn the fault is delivered. */
export const Point = z.enum([
  "none",
  "model-request",
  "model-stream",
  "before-commit",
  "after-commit",
  "after-receipt",
  "after-answer",
  "during-recovery",
]);
export type Point = z.infer<typeof Point>;

/** How the host is lost. `client-disconnect`, `stop-waiting` and `interrupt` are controls: not host loss. */
export const Reset = z.enum([
  "none",
  "abort",
  "kill",
  "restart",
  "redeploy",
  "redeploy-deferred",
  "evict",
  "client-disconnect",
  "stop-waiting",
  "interrupt",
]);
export type Reset = z.infer<typeof Reset>;

/** Resets which end a whole process, so that trials that share it are reset together. */
export const PROCESS_RESETS: readonly Reset[] = ["kill", "restart", "redeploy", "redeploy-deferred"];

/** `append`: every accepted attempt is an effect. `unique`: atomic uniqueness on the action key. */
export const Destination = z.enum(["append", "unique"]);
export type Destination = z.infer<typeof Destination>;

export const HeldAttempt = z.enum(["dropped", "committed-late"]);
export type HeldAttempt = z.infer<typeof HeldAttempt>;

/** What the scripted model does when it is told that its call was interrupted. */
export const Policy = z.enum(["reissue", "new-key", "look-up", "give-up", "claim-success"]);
export type Policy = z.infer<typeof Policy>;

/** Where the action key of an attempt comes from. */
export const KeySource = z.enum(["scenario", "call-id", "none"]);
export type KeySource = z.infer<typeof KeySource>;

export const Reconnect = z.enum(["after-quiet", "at-once", "never"]);
export type Reconnect = z.infer<typeof Reconnect>;

/** The phases of a trial, in order. */
export const Phase = z.enum([
  "prepare",
  "submit",
  "arrive",
  "look",
  "reset",
  "quiet",
  "reconnect",
  "settle",
  "collect",
]);
export type Phase = z.infer<typeof Phase>;
