/**
 * The levels of every factor, as literal names. One noun per idea: these strings are what the CLI takes,
 * what a trace stores and what a report prints.
 *
 * Leaves to others: which combinations make sense (experiments), what they do (controller, ledger, model).
 */
import { z } from "zod";

export { Destination } from "./destinations.ts";
export { Reset } from "./resets.ts";

/**
 * Name of the harness under test, or of a deliberately broken canary subject that the judge must convict. Open, so that a
 * trace stays readable whatever was plugged in when it was taken; `src/harnesses/index.ts` says which there are now, and
 * whoever chooses a level checks it there.
 */
export const Subject = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,40}$/, "use a-z, 0-9 and '-', starting with a letter");
export type Subject = z.infer<typeof Subject>;

/**
 * Where the OpenCode host comes from. `server`: the subject is an OpenCode server itself. `none`: it has no OpenCode host
 * (other harnesses, canary subjects).
 */
export const HostKind = z.enum(["sdk", "stand-in", "server", "none"]);
export type HostKind = z.infer<typeof HostKind>;

/**
 * What stands for the container of a subject whose work is done apart from its object. `process`: harness, daemon and agent
 * are real, and a process group on this machine stands for the platform's container, its placement and its snapshots.
 */
export const ContainerKind = z.enum(["process"]);
export type ContainerKind = z.infer<typeof ContainerKind>;

/**
 * What becomes of an executor's files when its harness stops it: a snapshot that the next one starts from, a snapshot that is
 * refused, or no snapshots at all in containers of that kind.
 */
export const Workspace = z.enum(["snapshot", "snapshot-refused", "none"]);
export type Workspace = z.infer<typeof Workspace>;

/**
 * Whether what runs the containers can end an executor. One that cannot takes it for gone and starts the next one, as with a
 * machine that nobody reaches any more.
 */
export const Supervision = z.enum(["kills", "cannot-kill"]);
export type Supervision = z.infer<typeof Supervision>;

/**
 * An agent that is a program of somebody else's. `command`: it is started for the operation, and started again after a reset
 * as it was. What it asks of its model no record tells.
 */
export const AgentKind = z.enum(["command"]);
export type AgentKind = z.infer<typeof AgentKind>;

/** Where in the turn the fault is delivered. */
export const Point = z.enum([
  "none",
  "model-request",
  "model-stream",
  "before-commit",
  "after-commit",
  // The same place, so much later that what an executor stores from time to time is stored.
  "after-sync",
  "after-receipt",
  "after-answer",
  "during-recovery",
  "accepted",
  // Behind work that was handed in before it and stands at the model: it is not begun.
  "queued",
  // A numbered write of the turn: `write` of the factors says which.
  "write",
]);
export type Point = z.infer<typeof Point>;

export const HeldAttempt = z.enum(["dropped", "committed-late", "left-open"]);
export type HeldAttempt = z.infer<typeof HeldAttempt>;

/** Under which id a client that comes back asks for the same action once more. */
export const Reprompt = z.enum(["new-id"]);
export type Reprompt = z.infer<typeof Reprompt>;

/** What look-ups show of the destination. */
export const LookUps = z.enum(["stale"]);
export type LookUps = z.infer<typeof LookUps>;

/** What the scripted model does when it is told that its call was interrupted. */
export const Policy = z.enum(["reissue", "new-key", "look-up", "give-up", "claim-success"]);
export type Policy = z.infer<typeof Policy>;

/** Where the action key of an attempt comes from. */
export const KeySource = z.enum(["scenario", "call-id", "none", "agent"]);
export type KeySource = z.infer<typeof KeySource>;

/**
 * What a trial breaks in the kit itself, to show that the gates notice: the alarm witness is not armed, or the
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
