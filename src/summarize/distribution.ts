/** Quantiles of durations of which some did not end while anybody watched. Those stay in, as longer than all others. */
import { quantileSorted } from "simple-statistics";
import type { Distribution } from "../trace/counts.ts";

/**
 * A duration in ms; `censored`: it had not ended when the watching did; `undated`: it ended, nothing shows when;
 * `not-applicable`: there was none.
 */
export type Duration = number | "censored" | "undated" | "not-applicable";

export function distributionOf(durations: readonly Duration[]): Distribution {
  const observed = durations.filter((one) => typeof one === "number").sort((a, b) => a - b);
  const count = (word: Duration) => durations.filter((one) => one === word).length;
  const censored = count("censored");
  const all = [...observed, ...new Array<number>(censored).fill(Number.POSITIVE_INFINITY)];
  const at = (share: number) => finite(all.length === 0 ? Number.NaN : quantileSorted(all, share));
  return {
    observed: observed.length,
    censored,
    undated: count("undated"),
    notApplicable: count("not-applicable"),
    min: at(0),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: at(1),
  };
}

/** Null where a quantile lies among the censored, or between them and the last that was observed. */
function finite(value: number): number | null {
  // Interpolation leaves a trace in the last digits; nothing here is finer than a millisecond.
  return Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null;
}
