/** How long a plan is expected to take: for people who decide whether to wait, never a bound. */
import { HARNESS_HEARTBEAT_MS } from "../../src/trace/heartbeats.ts";
import { plannedResets, traitsOf } from "../../src/trace/resets.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { runInWaves } from "./schedule.ts";

/** What a trial takes beyond what it waits for on purpose, in ms, seen on two cores. */
const TRIAL_OVERHEAD_MS = 8_000;
/** How soon a touched object stands at its point again, in ms, seen on two cores. */
const TOUCHED_MS = 1_000;
/** Bundling three Workers and starting the processes, in ms, seen on two cores. */
const STARTUP_MS = 15_000;

export function estimateTrialMs(spec: TrialSpec): number {
  // The alarm witness is awaited whatever else a trial does.
  return Math.max(faultMs(spec) + spec.factors.settleMs, spec.bounds.canaryMs) + TRIAL_OVERHEAD_MS;
}

/** What the resets and the waiting after them take. */
function faultMs({ factors, resetDelayMs, heartbeatMs = HARNESS_HEARTBEAT_MS }: TrialSpec): number {
  const { deferredS = 0 } = factors;
  if (factors.point === "none") return 0;
  const planned = plannedResets(factors);
  const { length } = planned;
  // An object that nobody touches stays away for as long as it does not look after its work.
  const between = Math.max(0, length - 1) * (factors.reconnect === "at-once" ? TOUCHED_MS : heartbeatMs);
  const away = factors.reconnect === "at-once" ? 0 : factors.quietMs;
  const performing = planned.reduce(
    (sum, reset) => sum + (traitsOf(reset).durationMs ?? 0) + deferredS * 1_000,
    0,
  );
  return between + away + length * resetDelayMs + performing;
}

/** A slot in the middle of a run. */
type SlotState = {
  /** Trials under way, with how long ago each was started. */
  readonly running: readonly { readonly spec: TrialSpec; readonly forMs: number }[];
  /** Trials still to start, in their order. */
  readonly queued: readonly TrialSpec[];
};

/** From before anything is built. */
export function estimateRunMs(specs: readonly TrialSpec[], concurrency: number): number {
  const slots = [...Map.groupBy(specs, ({ slot }) => slot).values()];
  return (
    STARTUP_MS +
    estimateLeftMs(
      slots.map((queued) => ({ running: [], queued })),
      concurrency,
    )
  );
}

/** Until the last trial of all slots ends: slots run beside each other. */
export function estimateLeftMs(slots: readonly SlotState[], concurrency: number): number {
  return Math.max(0, ...slots.map((slot) => slotLeftMs(slot, concurrency)));
}

function slotLeftMs({ running, queued }: SlotState, concurrency: number): number {
  const left = running.map(({ spec, forMs }) => Math.max(0, estimateTrialMs(spec) - forMs));
  if (runInWaves(queued)) {
    const waves = Array.from({ length: Math.ceil(queued.length / concurrency) }, (_, wave) =>
      longestOf(queued.slice(wave * concurrency, (wave + 1) * concurrency)),
    );
    return waves.reduce((sum, one) => sum + one, Math.max(0, ...left));
  }
  // Each trial takes the place that is free first.
  const places = [...left, ...Array<number>(Math.max(0, concurrency - left.length)).fill(0)];
  for (const spec of queued) {
    let [free, freeAt] = [0, Number.POSITIVE_INFINITY];
    // By index: there may be a thousand places for tens of thousands of trials.
    for (let index = 0; index < places.length; index++) {
      const at = places[index] ?? 0;
      if (at < freeAt) [free, freeAt] = [index, at];
    }
    places[free] = freeAt + estimateTrialMs(spec);
  }
  return Math.max(0, ...places);
}

function longestOf(specs: readonly TrialSpec[]): number {
  return Math.max(0, ...specs.map(estimateTrialMs));
}
