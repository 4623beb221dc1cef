/** Rates, shares and durations as people read them. Never rounded to the reassuring side. */
import { NOTHING } from "../../src/reconcile/axes/axis.ts";
import type { Rate } from "../../src/trace/counts.ts";

export { NOTHING };

/** `12.3%`; a bound is rounded away from the claim that it makes. */
export function percentText(share: number, round: "near" | "up" | "down" = "near"): string {
  const exact = share * 100;
  const digits = exact === 0 || exact === 100 ? 0 : exact < 1 ? 2 : 1;
  const unit = 10 ** digits;
  const rounded =
    { near: Math.round, up: Math.ceil, down: Math.floor }[round](exact * unit - slack(round)) / unit;
  return `${rounded.toFixed(digits)}%`;
}

/** Keeps a share that is a round number on paper from being rounded past itself. */
function slack(round: "near" | "up" | "down"): number {
  return round === "up" ? 1e-9 : round === "down" ? -1e-9 : 0;
}

/**
 * The count, and below it what it says about the rate: an interval, or a bound where none or all had the event; in
 * brackets the bound when trials of one act are one trial.
 */
export function rateText(rate: Rate): string {
  const { events, trials, clusters, low, high, atMost, atLeast, atMostByCluster, atLeastByCluster } = rate;
  if (trials === 0 || low === null || high === null) return NOTHING;
  // One trial bounds nothing that is worth a line.
  if (trials === 1) return `${events}/${trials}`;
  const lines = [`${events}/${trials}`];
  if (atMost !== null) lines.push(`≤${percentText(atMost, "up")}`);
  else if (atLeast !== null) lines.push(`≥${percentText(atLeast, "down")}`);
  else lines.push(`${percentText(low, "down").slice(0, -1)}–${percentText(high, "up")}`);
  if (clusters === trials) return lines.join("\n");
  if (atMostByCluster !== null) lines.push(`(≤${percentText(atMostByCluster, "up")})`);
  if (atLeastByCluster !== null) lines.push(`(≥${percentText(atLeastByCluster, "down")})`);
  return lines.join("\n");
}

/** Seconds with the digits that matter; an open value is one that lies among the censored. */
export function secondsText(ms: number | null): string {
  if (ms === null) return NOTHING;
  const seconds = ms / 1_000;
  return seconds.toFixed(seconds < 10 ? 2 : 1);
}

/** A mean of counts: `+1`, `+0.33`. */
export function signedText(value: number): string {
  const text = Number(value.toFixed(2)).toString();
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

/** A count and what is counted: `1 trial`, `3 trials`. */
export function howMany(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
