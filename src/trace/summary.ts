/**
 * What a run comes to, condition by condition, and what two runs come to side by side. Session restored, execution
 * resumed and effects counted are three answers here too; nothing merges them. Only valid trials enter a statistic.
 *
 * Leaves computing it to `src/summarize`, and sentences to whoever shows it.
 */
import { z } from "zod";
import { Count } from "./ids.ts";
import { Environment, Factors, HostIdentity } from "./spec.ts";

export const SUMMARY_SCHEMA = "opencode-do-recovery-kit/summary/1";

/** How often each word was seen. */
const Tally = z.record(z.string(), Count);
export type Tally = z.infer<typeof Tally>;

const Share = z.number().min(0).max(1);

/** In how many of how many trials something was seen, and what that says about its rate. */
export const Rate = z.strictObject({
  events: Count,
  trials: Count,
  /** Independent acts behind these trials: what one process reset took away together counts once. */
  clusters: Count,
  /** Two-sided 95 % interval after Wilson, as if the trials were independent; null without a trial. */
  low: Share.nullable(),
  high: Share.nullable(),
  /** Exact one-sided 95 % bounds where no trial (`atMost`) or every trial (`atLeast`) had the event. */
  atMost: Share.nullable(),
  atLeast: Share.nullable(),
  /** The same when each cluster is counted as one trial: what holds even if a cluster's trials are copies. */
  atMostByCluster: Share.nullable(),
  atLeastByCluster: Share.nullable(),
});
export type Rate = z.infer<typeof Rate>;

const Quantile = z.number().nullable();

/**
 * Durations in ms. Censored trials stay in, as longer than every observed one: a quantile that falls among them is
 * null, and so is the maximum as soon as there is one.
 */
export const Distribution = z.strictObject({
  observed: Count,
  censored: Count,
  /** Trials in which it happened at a time that nothing shows: in no quantile. */
  undated: Count,
  /** Trials in which there was nothing to wait for: in no quantile. */
  notApplicable: Count,
  min: Quantile,
  p50: Quantile,
  p90: Quantile,
  p99: Quantile,
  max: Quantile,
});
export type Distribution = z.infer<typeof Distribution>;

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
  /** Planned trials, those without a trace included. */
  trials: Count,
  missing: Count,
  valid: Count,
  /** Valid trials whose effects the evidence does not decide: they enter no rate of effects. */
  undecided: Count,
  /** Invalid trials by each reason that they have. */
  invalid: Tally,
  resets: z.strictObject({
    performed: Count,
    /** Acts that performed them. */
    clusters: Count,
    /** Most trials of this condition that one act took away together. */
    trialsOfLargestCluster: Count,
  }),
  /** First answer: was the session restored? */
  session: z.strictObject({ values: Tally, restored: Rate }),
  /** Second answer: did the execution resume? Of the trials in which it had been interrupted. */
  execution: z.strictObject({ values: Tally, resumed: Rate }),
  /** Third answer: how many effects, compared with how many were intended? */
  effects: z.strictObject({
    /** Trials by effects, intended effects and flags, e.g. `2/1 duplicate`. */
    values: Tally,
    intended: Count,
    attempts: Count,
    effects: Count,
    /** Effects beyond the intended ones. */
    surplus: Count,
    duplicates: Rate,
    lost: Rate,
    unresolved: Rate,
  }),
  /** Trials in which somebody gave the operation's outcome. */
  completions: Rate,
  /** Causes of repeated attempts. */
  repeats: Tally,
  /** Records of the session's log that were seen before the reset and are missing or changed after it. */
  transcript: z.strictObject({ missing: Count, damaged: Count, trialsAffected: Count }),
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
  }),
});
export type ConditionSummary = z.infer<typeof ConditionSummary>;

const Range = z.strictObject({ min: z.number(), max: z.number(), distinct: Count });

export const Summary = z.strictObject({
  schema: z.literal(SUMMARY_SCHEMA),
  run: z.string(),
  experiment: z.string().nullable(),
  host: HostIdentity.nullable(),
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

export const COMPARISON_SCHEMA = "opencode-do-recovery-kit/comparison/1";

const Pair = z.strictObject({ a: Tally, b: Tally });
const Seen = z.strictObject({ events: Count, trials: Count });

/** The same questions asked of two runs. */
export const Comparison = z.strictObject({
  schema: z.literal(COMPARISON_SCHEMA),
  runs: z.strictObject({ a: z.string(), b: z.string() }),
  /** What the two ran on, where it differs; null where one of them has none. */
  environment: z.array(
    z.strictObject({ what: z.string(), a: z.string().nullable(), b: z.string().nullable() }),
  ),
  /** Conditions that only one of the runs has a valid trial of. */
  only: z.strictObject({ a: z.array(z.string()), b: z.array(z.string()) }),
  /** Two-sided Fisher tests, corrected after Holm over all of them that could have shown anything. */
  tests: z.strictObject({ family: Count, level: Share }),
  conditions: z.array(
    z.strictObject({
      condition: z.string(),
      canary: z.boolean(),
      valid: z.strictObject({ a: Count, b: Count }),
      session: Pair,
      execution: Pair,
      effects: Pair,
      /** Answers of which one run gave a value that the other never gave. */
      kinds: z.array(z.enum(["session", "execution", "effects"])),
      tests: z.array(
        z.strictObject({
          of: z.enum(["restored", "resumed", "completions", "duplicates", "lost", "unresolved"]),
          a: Seen,
          b: Seen,
          p: Share,
          /** Null when the counts admit one outcome only, so that the test is no member of the family. */
          adjusted: Share.nullable(),
          significant: z.boolean(),
        }),
      ),
      differs: z.boolean(),
    }),
  ),
  /** Whether anything but the environment differs. */
  differs: z.boolean(),
});
export type Comparison = z.infer<typeof Comparison>;
