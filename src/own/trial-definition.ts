/**
 * The shape of what `defineTrial` takes. Checked before anything starts, so that a mistake is a sentence and no failed trial.
 */
import { z } from "zod";
import { DestinationRule, LookUpRule, Match, ModelRule } from "../gate/gate-rules.ts";
import { Action } from "../trace/ids.ts";
import { HeldAttempt, Point, Policy, Reset } from "../trace/levels.ts";
import { Script } from "../trace/script.ts";
import type { Client } from "./client.ts";

/** An object's heartbeat where nothing is declared, in ms: that of every harness in `agents`. */
const HEARTBEAT_MS = 30_000;

/** A name in a list of alternatives, or one. */
function several<T extends z.ZodType>(level: T) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(level).min(1));
}

const fn = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === "function",
  "write a function",
);

export const OwnDestination = DestinationRule.extend({
  /** How many effects one operation intends. */
  effects: z.number().int().min(0).max(20).default(1),
  /** Whether it makes one effect for each key, whoever asks how often. */
  unique: z.boolean().default(false),
});

export const TrialDefinition = z.strictObject({
  /** Her configuration, from the folder of the file that names it. */
  wrangler: z.string().min(1).default("./wrangler.jsonc"),
  object: z.strictObject({
    /** Of her Durable Object, in her configuration. */
    binding: z.string().min(1),
    /** Name of the object for one trial; no two trials may have the same. The trial's id where it is absent. */
    name: fn.optional(),
  }),
  client: z.strictObject({
    submit: fn,
    again: z.boolean().default(false),
    result: fn,
    later: fn.optional(),
    transcript: fn.optional(),
  }),
  /** How often the object looks after its work by itself, in ms: it has to be declared, since nobody can read it. */
  heartbeatMs: z.number().int().min(0).max(600_000).default(HEARTBEAT_MS),
  quietMs: z.number().int().min(0).max(3_600_000).optional(),
  settleMs: z.number().int().min(0).max(600_000).optional(),
  /** What her client asks for. */
  prompt: z.string().min(1).max(10_000).default("Please do your task."),
  /** What the scripted model does; absent where no model is asked. */
  script: Script.shape.steps.optional(),
  destinations: z.array(OwnDestination).min(1).max(50),
  lookUps: z.array(LookUpRule).max(50).default([]),
  model: z.array(ModelRule).max(50).default([]),
  allow: z.array(Match).max(50).default([]),
  points: several(Point).default(["none", "after-commit"]),
  resets: several(Reset).default(["abort", "kill"]),
  policies: several(Policy).default(["reissue"]),
  heldAttempt: HeldAttempt.default("dropped"),
  /** What every condition has to keep. */
  require: z.array(z.string()).default(["no-duplicate", "no-loss", "wakes-by-itself", "later-work-admitted"]),
});
export type TrialDefinition = z.infer<typeof TrialDefinition>;

type Written = z.input<typeof TrialDefinition>;

/** As it is written. */
export type WrittenTrial<Env = unknown> = Omit<Written, "object" | "client"> & {
  readonly object: { readonly binding: string; readonly name?: (trial: string) => string };
  readonly client: Client<Env>;
};

/** The actions that one operation intends, each by the name that effects are counted by. */
export function intendedBy({ destinations }: Pick<TrialDefinition, "destinations">) {
  return destinations.flatMap(({ action, effects }) =>
    typeof action === "string" ? [{ action: Action.parse(action), key: null, effects }] : [],
  );
}
