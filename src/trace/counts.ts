/**
 * Counts over trials: how often each word was seen, rates with what they are worth, durations of which some are censored.
 *
 * Leaves computing them to `src/summarize`, and what is counted of each axis to the axis (`src/reconcile/axes`).
 */
import { z } from "zod";
import { Count } from "./ids.ts";

/** How often each word was seen. */
export const Tally = z.record(z.string(), Count);
export type Tally = z.infer<typeof Tally>;

export const Share = z.number().min(0).max(1);

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
