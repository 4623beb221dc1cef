/**
 * What a trial was asked to do (`TrialSpec`) and what it ran on (`Environment`). Both are the payload of the
 * first journal record and are repeated in a trace file's header line.
 *
 * Leaves to others: combining levels into matrices (experiments), reading versions off a machine (scripts).
 */
import { z } from "zod";
import { Drill } from "./drills.ts";
import {
  Action,
  ActionKey,
  Count,
  Millis,
  ModelId,
  OpaqueId,
  OperationId,
  RunId,
  Sha256,
  ShortText,
  TrialId,
} from "./ids.ts";
import {
  AgentKind,
  ContainerKind,
  Destination,
  HeldAttempt,
  HostKind,
  KeySource,
  LookUps,
  Point,
  Policy,
  Reconnect,
  Reprompt,
  Reset,
  Sabotage,
  Subject,
  Supervision,
  Workspace,
} from "./levels.ts";
import { Script } from "./script.ts";
import { Target } from "./targets.ts";
import { WritePlace } from "./writes.ts";

/** The longest that a platform puts a code update off, in s; as long as it takes where a deploy does not say. */
export const DEFERRED_S_MAX = 300;

/** Name of an SDK set (`experiments/sdk-sets.ts`), with `+…` for what the command line changed of it. */
export const SetName = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,60}(\+[a-zA-Z0-9@/.-]{1,80})?$/);

/** One combination of levels. Two trials with equal factors are repeats of one condition. */
export const Factors = z.strictObject({
  subject: Subject.describe("the harness under test, or a canary"),
  host: HostKind.describe(
    "where the OpenCode host comes from; `server`: the subject is an OpenCode server; `none`: it has no OpenCode host",
  ),
  point: Point.describe("where in the turn the trial is held until its reset"),
  write: WritePlace.optional().describe("the numbered write of point `write`; absent at other points"),
  reset: Reset.describe("what takes the host away, or a control that leaves it alone"),
  target: Target.optional().describe(
    "what the reset takes, where an executor does the work apart from the object; absent for the object",
  ),
  workspace: Workspace.optional().describe(
    "what becomes of an executor's files when its harness stops it; absent where snapshots are taken, and without an executor",
  ),
  supervision: Supervision.optional().describe(
    "whether what runs the containers can end an executor; absent where it can, and without an executor",
  ),
  drill: Drill.optional().describe(
    "what an operator does with the job's record alone, where an executor does the work; absent for the usual client",
  ),
  callers: z
    .literal(2)
    .optional()
    .describe("how many clients hand new work in at the same time after the reset; absent for one"),
  resets: z
    .number()
    .int()
    .min(0)
    .max(20)
    .describe("how many resets the trial delivers; 0 with `reset: none`"),
  reprompt: Reprompt.optional().describe(
    "`new-id`: a client that comes back asks for the same action in a new operation, besides asking for the outcome of the old one; absent: it hands the old one in again under its own id",
  ),
  deferredS: z.number().int().min(1).max(DEFERRED_S_MAX).optional().meta({
    unit: "s",
    description: "how long the deploy of `redeploy-within` lets active objects keep their code; else absent",
  }),
  destination: Destination.describe(
    "what attempts act upon: `append` makes an effect each time, `unique` one for each key (without one, for each action), `keyed` one for each key and one for each attempt without",
  ),
  heldAttempt: HeldAttempt.describe(
    "what becomes of an attempt that is held before its commit: it is rejected, it commits when everything else is over, or it never closes",
  ),
  lookUps: LookUps.optional().describe(
    "`stale`: a look-up shows the destination as it was before the trial, whatever was committed since; absent: as it is",
  ),
  policy: Policy.describe("what the model does when it is told that its call was interrupted"),
  model: ModelId.optional().describe(
    "the real model that answers, which no policy binds; absent for the scripted one",
  ),
  key: KeySource.describe(
    "where the key of an attempt comes from: the prompt, the tool call's id, nowhere, or `agent`: the agent itself gives one or none",
  ),
  reconnect: Reconnect.describe("when the client comes back after the reset"),
  quietMs: Millis.describe("how long nothing touches the object after the reset"),
  settleMs: Millis.describe("how long effects are still counted after everything settled"),
});
export type Factors = z.infer<typeof Factors>;

/** Limits on the waits of a trial, in ms. A wait that runs out is recorded, never taken for a failure. */
export const Bounds = z.strictObject({
  arriveMs: Millis.describe("until the point is reached"),
  resetMs: Millis.describe("until the command line has performed a reset of the process"),
  operationMs: Millis.describe("until the operation (and later the probe) settles, once a client may ask"),
  canaryMs: Millis.describe("until the alarm of the alarm witness is due, from when it was set"),
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
  action: Action.describe("the action"),
  key: ActionKey.nullable().describe("key given in the prompt (`key: scenario`); else null"),
  effects: Count.describe("how many effects the scenario intends"),
});
export type IntendedAction = z.infer<typeof IntendedAction>;

/** The two SDK sets of a trial. */
export const TrialSets = z
  .strictObject({
    before: SetName.describe("the one under which the trial begins"),
    after: SetName.describe("the one that a reset of kind `upgrade` brings; the same where there is none"),
  })
  .meta({ title: "SDK sets of a trial" });
export type TrialSets = z.infer<typeof TrialSets>;

export const TrialSpec = z
  .strictObject({
    trial: TrialId.describe("id of the trial"),
    run: RunId.describe("id of the run that it belongs to"),
    experiment: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,40}$/)
      .describe("name of the experiment"),
    condition: z
      .string()
      .min(1)
      .max(200)
      .describe("readable name of the condition, unique in the experiment"),
    repeat: z.number().int().min(1).describe("repeat of the condition within the run, from 1"),
    factors: Factors.describe("the level of every factor"),
    intended: z.array(IntendedAction).min(1).max(10).describe("what the operation asks for"),
    script: Script.optional().describe(
      "what is asked of an agent with tools of its own, and what the scripted model does there; absent where the kit's own ledger tools are used",
    ),
    operationId: OperationId.describe("id under which the client hands the operation in"),
    probeId: OperationId.describe("id under which it hands the probe in"),
    container: ContainerKind.optional().describe(
      "what stands for the container in which an executor does the subject's work; absent where the object does it itself",
    ),
    references: z
      .literal(true)
      .optional()
      .describe("whether the subject hands out ids of its executor's work; absent where it does not"),
    agent: AgentKind.optional().describe(
      "`command`: the subject is a program that is started for the operation and again after a reset, and whose model leaves no record; absent where a harness takes the operation",
    ),
    slot: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/)
      .describe(
        "which local subject runtime serves the trial (`default`, `kill-1`, …); trials in one slot die together",
      ),
    marker: OpaqueId.describe(
      "written into the object's storage before the fault; missing afterwards means that the storage is gone",
    ),
    canary: z
      .boolean()
      .describe(
        "whether the subject is a canary: a convicted one is a pass of the run, an acquitted one makes the run invalid",
      ),
    sabotage: Sabotage.describe("what the trial breaks in the kit itself, to show that the gates notice"),
    loadPerSecond: z.number().min(0).max(1_000).meta({
      unit: "requests/s",
      description: "to other objects of the subject's process while the run lasts",
    }),
    bounds: Bounds.describe(
      "limits on the waits of the trial; one that runs out is recorded, never taken for a failure",
    ),
    seed: z
      .number()
      .int()
      .describe("seed of everything that varies in the run; it repeats the schedule, not the platform"),
    heartbeatMs: Millis.optional().describe(
      "how often the subject looks after its work by itself; absent in older traces",
    ),
    executorSyncMs: Millis.optional().describe(
      "how often the files of an executor are stored in its object while it works; absent where there is none, and in older traces (5000)",
    ),
    resetDelayMs: Millis.describe("between reaching the point and delivering the reset, drawn from the seed"),
    expect: Expectation.nullable().describe(
      "the verdict that the experiment's author expects, by axis; null for none, absent axes are not compared",
    ),
    require: z
      .array(z.string().regex(/^[a-z][a-z-]{0,40}$/))
      .max(30)
      .optional()
      .describe(
        "names of the invariants that the trial has to keep where `expect` is null; which there are is the judge's to say; absent where nothing was required",
      ),
    numbersWrites: z
      .literal(true)
      .optional()
      .describe(
        "whether the writes of the first activation are numbered and recorded; absent where they are not",
      ),
    sets: TrialSets.optional().describe("absent where the subject ran on what the kit has installed"),
  })
  .meta({ title: "Trial spec" });
export type TrialSpec = z.infer<typeof TrialSpec>;

export const HostIdentity = z
  .strictObject({
    kind: HostKind.describe("where it comes from"),
    name: z.string().max(100).describe("its name"),
    version: z.string().max(100).describe("its version"),
  })
  .meta({ title: "Host identity" });
export type HostIdentity = z.infer<typeof HostIdentity>;

/** Where the processes kept what they stored: in a tmpfs, where no write waits for a device, or on a disk. */
export const Storage = z.enum(["memory", "disk"]);
export type Storage = z.infer<typeof Storage>;

/** What an SDK set came to when it was loaded. */
export const SetUsed = z
  .strictObject({
    name: SetName.describe("its name in `experiments/sdk-sets.ts`"),
    packages: z
      .record(z.string(), z.string())
      .describe("version of what is installed, by package, nested ones included"),
    host: HostIdentity.describe("the OpenCode host that it brings"),
    lockfileSha256: Sha256.describe("hash of its own `package-lock.json`"),
    compatibilityDate: z.string().describe("of the subject Worker"),
    bundleSha256: Sha256.describe("of the subject Worker"),
  })
  .meta({ title: "SDK set" });
export type SetUsed = z.infer<typeof SetUsed>;

/** A user's Worker, as it was when it was bundled. */
export const OwnSources = z
  .strictObject({
    worker: z.string().max(200).describe("its name in its own configuration"),
    class: z.string().max(200).describe("the class of its Durable Object under trial"),
    wrap: z.boolean().describe("whether its classes were followed from outside"),
    main: Sha256.describe("of the file that its configuration names as `main`"),
    files: z
      .record(z.string().max(500), Sha256)
      .describe("of each file of its folder that went into the bundle, by path from that folder"),
  })
  .meta({ title: "Own sources" });
export type OwnSources = z.infer<typeof OwnSources>;

export const Environment = z
  .strictObject({
    mode: z.enum(["local", "deployed"]).describe("local processes, or deployed Workers"),
    runtime: z
      .enum(["network", "rehearsal"])
      .optional()
      .describe(
        "of the mode `deployed`: Cloudflare's network, or a rehearsal of it by local processes; absent in the other mode, and in older traces",
      ),
    storage: Storage.optional().describe(
      "where processes kept what they stored: in a tmpfs, where no write waits for a device, or on a disk; absent in older traces, and where nobody can tell",
    ),
    packages: z.record(z.string(), z.string()).describe("version of every package that matters, by name"),
    host: HostIdentity.describe(
      "the host that the command line asked for; what the subject really runs is in `subject.activated`",
    ),
    node: z.string().describe("version of Node.js"),
    platform: z.string().describe("operating system and processor"),
    lockfileSha256: Sha256.describe("hash of `package-lock.json`"),
    commit: z
      .string()
      .regex(/^[0-9a-f]{7,40}$/)
      .nullable()
      .describe("commit of the checkout; null when there is none"),
    dirty: z
      .boolean()
      .nullable()
      .describe("whether the work tree had uncommitted changes; null when there is no checkout"),
    compatibilityDate: z.string().describe("of the Workers"),
    compatibilityFlags: z.array(z.string()).describe("of the Workers"),
    bundles: z.record(z.string(), Sha256).describe("SHA-256 of each Worker's bundle, by Worker name"),
    model: z
      .strictObject({
        kind: z
          .literal("real")
          .optional()
          .describe(
            "`real`: it answers the trials that name it in their factors; absent for the scripted one",
          ),
        id: z.string().describe("name of the model"),
        settings: z.record(z.string(), z.union([z.string(), z.number()])).describe("its settings, by name"),
      })
      .describe("the model that answers"),
    commandLine: z.array(ShortText).describe("the command as it was given, without folders"),
    seed: z.number().int().describe("seed of the run"),
    startedAt: z.iso.datetime().describe("when the run began, on the command line's clock (ISO 8601)"),
    set: SetUsed.optional().describe(
      "the SDK set that the trial began under, of which everything above speaks; absent for what the kit has installed",
    ),
    own: OwnSources.optional().describe(
      "the user's own Worker that is the subject; absent where the subject is the kit's",
    ),
    nextSet: SetUsed.optional().describe(
      "the one that takes over in a reset of kind `upgrade`; absent where none does",
    ),
  })
  .meta({ title: "Environment" });
export type Environment = z.infer<typeof Environment>;
