/**
 * Fisher's exact test for two counts, and Holm's correction for many of them. Both are exact at the small numbers of
 * trials that an experiment has, where a chi-square test is not.
 */
import { gammaln } from "simple-statistics";

export type Seen = { readonly events: number; readonly trials: number };

/** Probabilities that are equal on paper differ in the last digits; R's fisher.test uses the same factor. */
const EQUAL = 1 + 1e-7;

/**
 * Two-sided p: how probable it is, with these totals and no difference between the two, to see a split that is as
 * improbable as this one or more so.
 */
export function fisherExact(a: Seen, b: Seen): number {
  const { least, most } = splits(a, b);
  const logs = Array.from({ length: most - least + 1 }, (_, index) => logSplit(a, b, least + index));
  const seen = logs[a.events - least] ?? Number.NEGATIVE_INFINITY;
  const limit = seen + Math.log(EQUAL);
  const p = logs.filter((log) => log <= limit).reduce((sum, log) => sum + Math.exp(log), 0);
  return Math.min(1, p);
}

/** Whether the totals admit more than one split, so that a test can show anything at all. */
export function canDiffer(a: Seen, b: Seen): boolean {
  const { least, most } = splits(a, b);
  return most > least;
}

/**
 * p-values corrected for their number (Holm 1979), in the order given: holding them against 0.05 keeps the chance of
 * any false alarm in the whole family at 5 %.
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p);
  const adjusted = new Array<number>(values.length);
  let highest = 0;
  order.forEach(({ p, index }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (values.length - rank)));
    adjusted[index] = highest;
  });
  return adjusted;
}

/** The events that `a` may have had, given all totals. */
function splits(a: Seen, b: Seen): { least: number; most: number } {
  const events = a.events + b.events;
  return { least: Math.max(0, events - b.trials), most: Math.min(events, a.trials) };
}

/** Logarithm of the hypergeometric probability that `a` has exactly `events` of all events. */
function logSplit(a: Seen, b: Seen, events: number): number {
  const total = a.events + b.events;
  return (
    logChoose(a.trials, events) + logChoose(b.trials, total - events) - logChoose(a.trials + b.trials, total)
  );
}

function logChoose(n: number, k: number): number {
  return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);
}
