/**
 * What a run comes to, condition by condition. Session restored, execution resumed and effects counted are three answers
 * here too; nothing merges them. Only valid trials enter a statistic.
 *
 * Leaves computing it to `summarize.ts`, and sentences to whoever shows it.
 */
import { z } from "zod";
import type { Counted } from "../reconcile/axes/axis.ts";
import { AXES, type Merged } from "../reconcile/axes/index.ts";
import { Distribution, Tally } from "../trace/counts.ts";
import { Count } from "../trace/ids.ts";
import { Environment, Factors, HostIdentity } from "../trace/spec.ts";

export const SUMMARY_SCHEMA = "opencode-do-recovery-kit/summary/3";

type ByKey = Merged<(typeof AXES)[number]["counted"]>;
type CountedShape = {
  [K in keyof ByKey]: ByKey[K] extends { readonly schema: infer S extends z.ZodType } ? S : never;
};
/** What the axes count, by key. */
export type CountedParts = { [K in keyof CountedShape]: z.infer<CountedShape[K]> };

/** Every part of a summary that an axis counts, with its key, in the order of the axes. */
export function countedParts(): readonly (readonly [key: string, part: Counted<never>, axis: string])[] {
  return AXES.flatMap(({ name, counted }) =>
    Object.entries(counted).map(([key, part]) => [key, part as Counted<never>, name] as const),
  );
}

const Usage = z.strictObject({
  modelCalls: z.number(),
  titleCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});

export const ConditionSummary = z.strictObject({
  condition: z.string(),
  canary: z.boolean(),
  /** Of the first trial that tells them; null when no trace is readable. */
  factors: Factors.nullable(),
  /** What else the spec of that trial says that may make a result another one, by name. */
  settings: z.record(z.string(), z.string()),
  /** Planned trials, those without a trace included. */
  trials: Count,
  missing: Count,
  valid: Count,
  /** Invalid trials by each reason that they have. */
  invalid: Tally,
  resets: z.strictObject({
    performed: Count,
    /** Acts that performed them. */
    clusters: Count,
    /** Most trials of this condition that one act took away together. */
    trialsOfLargestCluster: Count,
  }),
  // What each axis counts stands here: session restored, execution resumed and effects are answers of their own.
  ...(Object.fromEntries(countedParts().map(([key, { schema }]) => [key, schema])) as CountedShape),
  /** Calls that the session's own record and the ledger tell differently, over all valid trials. */
  callMismatches: Tally,
  /** Whom the first deviation of each valid trial is attributed to, with why. */
  attribution: Tally,
  /** Events of the log of before the reset, over the trials in which a log was compared; null where none was. */
  transcript: z.strictObject({
    trialsCompared: Count,
    missing: Count.nullable(),
    damaged: Count.nullable(),
    trialsAffected: Count,
  }),
  /** Model usage per trial, on average; null when there is none to average. */
  usage: z
    .strictObject({
      perTrial: Usage,
      trials: Count,
      /** Trials left out because the later probe's calls could not be told from the operation's. */
      mixed: Count,
    })
    .nullable(),
  /** What a trial used beyond its paired baseline, on average; null where the run has no baseline for it. */
  beyondBaseline: z.strictObject({ baseline: z.string(), baselineTrials: Count, perTrial: Usage }).nullable(),
  /** From the first reset, on the ledger's clock. */
  timings: z.strictObject({
    resetToActivationMs: Distribution,
    resetToProgressMs: Distribution,
    resetToSettledMs: Distribution,
    /** How much later than its alarm was due the object came back by itself, on its own clock. */
    wokeLateMs: Distribution,
  }),
});
export type ConditionSummary = z.infer<typeof ConditionSummary>;

const Range = z.strictObject({ min: z.number(), max: z.number(), distinct: Count });

export const Summary = z.strictObject({
  schema: z.literal(SUMMARY_SCHEMA),
  run: z.string(),
  experiment: z.string().nullable(),
  host: HostIdentity.nullable(),
  /** What a result on this host is worth; null where nothing limits it. */
  caveat: z.string().nullable(),
  /** Of the first trial that tells it; null when no trace is readable. */
  environment: Environment.nullable(),
  /** Over all conditions, canaries included. */
  totals: z.strictObject({
    trials: Count,
    missing: Count,
    valid: Count,
    invalid: Count,
    resets: Count,
    clusters: Count,
  }),
  /** What differed between trials of one condition. A scripted model gives near copies otherwise. */
  varied: z.strictObject({
    seeds: z.array(z.number().int()),
    /** Most trials of one condition. */
    repeats: Count,
    resetDelayMs: Range.nullable(),
    loadPerSecond: Range.nullable(),
  }),
  /** Sorted by name; canaries last. */
  conditions: z.array(ConditionSummary),
});
export type Summary = z.infer<typeof Summary>;
