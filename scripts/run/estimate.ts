/** How long a plan is expected to take: for people who decide whether to wait, never a bound. */
import { PROCESS_RESETS } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";

/** What a trial takes beyond its quiet interval and settle window, in ms, seen on two cores. */
const TRIAL_OVERHEAD_MS = 8_000;
/** Bundling three Workers and starting the processes, in ms, seen on two cores. */
const STARTUP_MS = 15_000;

export function estimateTrialMs({ factors, resetDelayMs }: TrialSpec): number {
  const away = factors.reset === "none" ? 0 : factors.quietMs + resetDelayMs;
  return TRIAL_OVERHEAD_MS + factors.settleMs + away;
}

/** The slots run beside each other, each with at most `concurrency` trials at once. */
export function estimateRunMs(specs: readonly TrialSpec[], concurrency: number): number {
  const slots = [...Map.groupBy(specs, ({ slot }) => slot).values()];
  return STARTUP_MS + Math.max(0, ...slots.map((slot) => estimateSlotMs(slot, concurrency)));
}

function estimateSlotMs(specs: readonly TrialSpec[], concurrency: number): number {
  const times = specs.map(estimateTrialMs);
  const longestMs = Math.max(0, ...times);
  const waves = Math.ceil(specs.length / concurrency);
  if (specs.some(({ factors }) => PROCESS_RESETS.includes(factors.reset))) return waves * longestMs;
  return Math.max(longestMs, times.reduce((sum, one) => sum + one, 0) / Math.min(concurrency, specs.length));
}
