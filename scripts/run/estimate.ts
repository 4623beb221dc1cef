/** How long a plan is expected to take: for people who decide whether to wait, never a bound. */
import { PROCESS_RESETS, plannedResets } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";

/** What a trial takes beyond its quiet interval and settle window, in ms, seen on two cores. */
const TRIAL_OVERHEAD_MS = 8_000;
/** The harness's heartbeat: how long an object that nobody touches stays away, in ms. */
const HEARTBEAT_MS = 30_000;
/** How soon a touched object stands at its point again, in ms, seen on two cores. */
const TOUCHED_MS = 1_000;
/** Bundling three Workers and starting the processes, in ms, seen on two cores. */
const STARTUP_MS = 15_000;

export function estimateTrialMs({ factors, resetDelayMs }: TrialSpec): number {
  if (factors.point === "none") return TRIAL_OVERHEAD_MS + factors.settleMs;
  const { length } = plannedResets(factors);
  const between = Math.max(0, length - 1) * (factors.reconnect === "at-once" ? TOUCHED_MS : HEARTBEAT_MS);
  const away = factors.reconnect === "at-once" ? 0 : factors.quietMs;
  return TRIAL_OVERHEAD_MS + factors.settleMs + between + away + length * resetDelayMs;
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
  if (specs.some(({ factors }) => plannedResets(factors).some((reset) => PROCESS_RESETS.includes(reset))))
    return waves * longestMs;
  return Math.max(longestMs, times.reduce((sum, one) => sum + one, 0) / Math.min(concurrency, specs.length));
}
