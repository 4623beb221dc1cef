/**
 * The levels of every factor, as literal names. One noun per idea: these strings are what the CLI takes,
 * what a trace stores and what a report prints.
 *
 * Leaves to others: which combinations make sense (experiments), what they do (controller, ledger, model).
 */
import { z } from "zod";

export { Destination } from "./destinations.ts";
export { Reset } from "./resets.ts";

/** The harness under test, or a deliberately broken canary subject that the judge must convict. */
export const Subject = z.enum([
  "opencode",
  "think",
  // The same harness, with a tool that it may run again by itself.
  "think-rerun",
  "ai-sdk",
  // A real OpenCode server: a tool of a plugin on its `/session` API, and its own shell tool on its `/api` core.
  "opencode-server",
  "opencode-server-shell",
  "canary-replay",
  "canary-claim",
  "canary-sleeper",
  "canary-amnesia",
]);
export type Subject = z.infer<typeof Subject>;

/**
 * Subjects that are processes of their own and no Durable Objects: whoever runs the trials starts and ends them, and
 * nothing else can wake them. They have to be installed first, so they run only when they are asked for.
 */
export const PROCESS_SUBJECTS: readonly Subject[] = ["opencode-server", "opencode-server-shell"];

/** Subjects that are another one with something set otherwise: whoever asks for the one means both. */
export const VARIANT_OF: Readonly<Partial<Record<Subject, Subject>>> = {
  "think-rerun": "think",
  "opencode-server-shell": "opencode-server",
};

/**
 * Where the OpenCode host comes from. `server`: the subject is an OpenCode server itself. `none`: it has no OpenCode host
 * (other harnesses, canary subjects).
 */
export const HostKind = z.enum(["sdk", "stand-in", "server", "none"]);
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

export const HeldAttempt = z.enum(["dropped", "committed-late"]);
export type HeldAttempt = z.infer<typeof HeldAttempt>;

/** What the scripted model does when it is told that its call was interrupted. */
export const Policy = z.enum(["reissue", "new-key", "look-up", "give-up", "claim-success"]);
export type Policy = z.infer<typeof Policy>;

/** Where the action key of an attempt comes from. */
export const KeySource = z.enum(["scenario", "call-id", "none"]);
export type KeySource = z.infer<typeof KeySource>;

/**
 * What a trial breaks in the kit itself, to show that the gates notice: the runtime canary is not armed, or the
 * recorder loses log events in the final read or only in the one before the reset.
 */
export const Sabotage = z.enum(["none", "canary-silent", "recorder-gap", "recorder-gap-repaired"]);
export type Sabotage = z.infer<typeof Sabotage>;

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
  // Entered before the probe is sent, so that what it brings about is not taken for the operation's.
  "probe",
  "settle",
  "collect",
]);
export type Phase = z.infer<typeof Phase>;
