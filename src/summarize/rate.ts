/**
 * What a count says about a rate. Wilson's score interval for every count, and the exact one-sided bound where a count
 * of zero (or of all) makes a two-sided interval the wrong question.
 *
 * Both suppose independent trials. Leaves to the caller how many independent acts lie behind them.
 */
import type { Rate } from "../trace/counts.ts";

/** 97.5 % quantile of the standard normal distribution: a two-sided 95 % interval. */
const Z = 1.959963984540054;
export const CONFIDENCE = 0.95;

type Interval = { readonly low: number; readonly high: number };

/** Wilson's score interval without continuity correction (Wilson 1927), 95 %. Null without a trial. */
export function wilson(events: number, trials: number): Interval | null {
  verifyCounts(events, trials);
  if (trials === 0) return null;
  const share = events / trials;
  const weight = Z ** 2 / trials;
  const center = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / trials + weight / (4 * trials));
  return {
    // Exact at the edges, where the formula's rounding would leave a trace.
    low: events === 0 ? 0 : Math.max(0, center - half),
    high: events === trials ? 1 : Math.min(1, center + half),
  };
}

/** Highest rate that is still compatible with no event in `trials` trials: (1 - rate)^trials = 1 - confidence. */
export function zeroEventBound(trials: number, confidence = CONFIDENCE): number {
  verifyCounts(0, trials);
  return trials === 0 ? 1 : -Math.expm1(Math.log1p(-confidence) / trials);
}

export function rateOf(events: number, trials: number, clusters: number): Rate {
  const interval = wilson(events, trials);
  const none = trials > 0 && events === 0;
  const all = trials > 0 && events === trials;
  return {
    events,
    trials,
    clusters,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    atMost: none ? zeroEventBound(trials) : null,
    atLeast: all ? 1 - zeroEventBound(trials) : null,
    atMostByCluster: none ? zeroEventBound(clusters) : null,
    atLeastByCluster: all ? 1 - zeroEventBound(clusters) : null,
  };
}

function verifyCounts(events: number, trials: number): void {
  if (!Number.isInteger(events) || !Number.isInteger(trials) || events < 0 || events > trials)
    throw new RangeError(`${events} of ${trials} is not a count of events in trials`);
}
