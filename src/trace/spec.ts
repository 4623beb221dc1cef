/**
 * What a trial was asked to do (`TrialSpec`) and what it ran on (`Environment`). Both are the payload of the
 * first journal record and are repeated in a trace file's header line.
 *
 * Leaves to others: combining levels into matrices (experiments), reading versions off a machine (scripts).
 */
import { z } from "zod";
import {
  Action,
  ActionKey,
  Count,
  Millis,
  OpaqueId,
  OperationId,
  RunId,
  Sha256,
  ShortText,
  TrialId,
} from "./ids.ts";
import {
  Destination,
  HeldAttempt,
  HostKind,
  KeySource,
  Point,
  Policy,
  Reconnect,
  Reset,
  Sabotage,
  Subject,
} from "./levels.ts";

/** One combination of levels. Two trials with equal factors are repeats of one condition. */
export const Factors = z.strictObject({
  subject: Subject,
  host: HostKind,
  point: Point,
  reset: Reset,
  /** How many resets the trial delivers. 0 with `reset: none`. */
  resets: z.number().int().min(0).max(20),
  destination: Destination,
  heldAttempt: HeldAttempt,
  policy: Policy,
  key: KeySource,
  reconnect: Reconnect,
  /** How long nothing touches the object after the reset, in ms. */
  quietMs: Millis,
  /** How long effects are still counted after everything settled, in ms. */
  settleMs: Millis,
});
export type Factors = z.infer<typeof Factors>;

/** Limits on the waits of a trial, in ms. A wait that runs out is recorded, never taken for a failure. */
export const Bounds = z.strictObject({
  /** Until the point is reached. */
  arriveMs: Millis,
  /** Until the CLI has performed a reset of the process. */
  resetMs: Millis,
  /** Until the operation (and later the probe) settles, once a client may ask. */
  operationMs: Millis,
  /** Until the alarm of the alarm witness is due, from when it was set. */
  canaryMs: Millis,
});
export type Bounds = z.infer<typeof Bounds>;

/**
 * The verdict that the experiment's author expects of a condition, by axis; absent axes are not compared. Which axes
 * there are is the judge's to say (`src/reconcile/expectation.ts`), so that a trace stays readable when they change.
 */
export const Expectation = z.record(
  z.string().regex(/^[a-zA-Z]{1,40}$/),
  z.union([z.string().max(100), z.boolean(), Count, z.array(z.string().max(100)).max(20)]),
);
export type Expectation = z.infer<typeof Expectation>;

export const IntendedAction = z.strictObject({
  action: Action,
  /** The key given in the prompt (`key: scenario`), or null. */
  key: ActionKey.nullable(),
  /** How many effects the scenario intends. */
  effects: Count,
});
export type IntendedAction = z.infer<typeof IntendedAction>;

export const TrialSpec = z.strictObject({
  trial: TrialId,
  run: RunId,
  experiment: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/),
  /** Readable name of the condition, unique in the experiment, e.g. `after-commit/abort/append/reissue`. */
  condition: z.string().min(1).max(200),
  /** 1-based repeat of the condition within the run. */
  repeat: z.number().int().min(1),
  factors: Factors,
  intended: z.array(IntendedAction).min(1).max(10),
  operationId: OperationId,
  probeId: OperationId,
  /** Which local subject runtime serves the trial (`default`, `kill-1`, …). Trials in one slot die together. */
  slot: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/),
  /** Written into the object's storage before the fault; missing afterwards means that the storage is gone. */
  marker: OpaqueId,
  /** A convicted canary subject is a pass of the run; an acquitted one makes the run invalid. */
  canary: z.boolean(),
  sabotage: Sabotage,
  /** Requests per second to other objects of the subject's process while the run lasts. */
  loadPerSecond: z.number().min(0).max(1_000),
  bounds: Bounds,
  /** Seed of everything that varies in the run. It repeats the schedule, not the platform. */
  seed: z.number().int(),
  /** How often the subject looks after its work by itself, in ms; absent in traces of before it was declared. */
  heartbeatMs: Millis.optional(),
  /** Delay between reaching the point and delivering the reset, in ms, drawn from the seed. */
  resetDelayMs: Millis,
  expect: Expectation.nullable(),
});
export type TrialSpec = z.infer<typeof TrialSpec>;

export const HostIdentity = z.strictObject({
  kind: HostKind,
  name: z.string().max(100),
  version: z.string().max(100),
});
export type HostIdentity = z.infer<typeof HostIdentity>;

/** Where the processes kept what they stored: in a tmpfs, where no write waits for a device, or on a disk. */
export const Storage = z.enum(["memory", "disk"]);
export type Storage = z.infer<typeof Storage>;

export const Environment = z.strictObject({
  mode: z.enum(["local", "deployed"]),
  /**
   * Of the mode `deployed`: Cloudflare's network, or a rehearsal of it by local processes. Absent in the other mode, and in
   * traces of before it was recorded.
   */
  runtime: z.enum(["network", "rehearsal"]).optional(),
  /** Absent in traces of before it was recorded, and where nobody can tell. */
  storage: Storage.optional(),
  /** Version of every package that matters, by name. */
  packages: z.record(z.string(), z.string()),
  /** The host that the CLI asked for. What the subject really runs is in `subject.activated`. */
  host: HostIdentity,
  node: z.string(),
  platform: z.string(),
  lockfileSha256: Sha256,
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/)
    .nullable(),
  /** Whether the work tree had uncommitted changes; null when there is no git checkout. */
  dirty: z.boolean().nullable(),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  /** SHA-256 of each Worker's bundle, by Worker name. */
  bundles: z.record(z.string(), Sha256),
  model: z.strictObject({
    id: z.string(),
    settings: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  commandLine: z.array(ShortText),
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
});
export type Environment = z.infer<typeof Environment>;
