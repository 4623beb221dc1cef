import { describe, expect, it } from "vitest";
import { buildSpec } from "../../src/reconcile/testing/trace-builder.ts";
import type { Factors } from "../../src/trace/spec.ts";
import { estimateLeftMs, estimateRunMs, estimateTrialMs } from "./estimate.ts";

const trial = (slot: string, reset: "abort" | "kill", factors: Partial<Factors> = {}) =>
  buildSpec({ slot, factors: { reset, quietMs: 40_000, settleMs: 2_000, ...factors } });
const times = (count: number, slot: string, reset: "abort" | "kill") =>
  Array.from({ length: count }, () => trial(slot, reset));

describe("the estimate", () => {
  it("counts the quiet interval where there is one: not for a client that is back at once, nor without a point", () => {
    const quiet = estimateTrialMs(trial("default", "abort"));
    const atOnce = estimateTrialMs(trial("default", "abort", { reconnect: "at-once" }));
    const baseline = estimateTrialMs(trial("default", "abort", { point: "none", reset: "none", resets: 0 }));
    expect([quiet - atOnce, quiet - baseline]).toEqual([40_000, 40_000]);
  });

  it("counts a heartbeat between resets, unless a client brings the object back at once", () => {
    const more = (reconnect: Factors["reconnect"]) =>
      estimateTrialMs(trial("default", "abort", { resets: 3, reconnect })) -
      estimateTrialMs(trial("default", "abort", { resets: 1, reconnect }));
    expect(more("after-quiet")).toBe(2 * 30_000);
    expect(more("at-once")).toBeLessThan(30_000);
  });

  it("does not grow with trials that run beside each other", () => {
    const one = estimateRunMs(times(1, "default", "abort"), 8);
    expect(estimateRunMs(times(8, "default", "abort"), 8)).toBe(one);
    expect(estimateRunMs([...times(8, "default", "abort"), ...times(8, "kill-1", "kill")], 8)).toBe(one);
  });

  it("grows by a whole trial with each wave of a process reset", () => {
    const wave = estimateTrialMs(trial("kill-1", "kill"));
    const runs = [8, 9, 17].map((count) => estimateRunMs(times(count, "kill-1", "kill"), 8));
    expect(runs.map((ms) => ms - (runs[0] ?? 0))).toEqual([0, wave, 2 * wave]);
  });

  it("of a trial is never shorter than the wait for its canary", () => {
    const baseline = (canaryMs: number) =>
      buildSpec({
        factors: { point: "none", reset: "none", resets: 0, settleMs: 2_000 },
        bounds: { arriveMs: 1_000, resetMs: 1_000, operationMs: 1_000, canaryMs },
      });
    expect(estimateTrialMs(baseline(20_000)) - estimateTrialMs(baseline(1_000))).toBe(18_000);
  });

  it("of nothing is the time to start", () => {
    expect(estimateRunMs([], 8)).toBeGreaterThan(0);
  });
});

describe("the time left", () => {
  const wave = estimateTrialMs(trial("kill-1", "kill"));
  const one = estimateTrialMs(trial("default", "abort"));
  const started = (spec: ReturnType<typeof trial>, forMs: number) => ({ spec, forMs });

  it("counts waves that are still to come, each after the one before it", () => {
    const running = times(2, "kill-1", "kill").map((spec) => started(spec, 10_000));
    const queued = times(3, "kill-1", "kill");
    expect(estimateLeftMs([{ running, queued }], 2)).toBe(wave - 10_000 + 2 * wave);
  });

  it("counts waiting trials from when a place is free", () => {
    const running = [started(trial("default", "abort"), 30_000), started(trial("default", "abort"), 0)];
    const queued = (count: number) => times(count, "default", "abort");
    expect(estimateLeftMs([{ running, queued: queued(1) }], 2)).toBe(2 * one - 30_000);
    expect(estimateLeftMs([{ running, queued: queued(2) }], 2)).toBe(2 * one);
  });

  it("is that of the slowest slot, and never less than nothing", () => {
    const late = { running: [started(trial("default", "abort"), 10 * one)], queued: [] };
    expect(estimateLeftMs([late], 2)).toBe(0);
    expect(estimateLeftMs([late, { running: [], queued: times(1, "kill-1", "kill") }], 2)).toBe(wave);
    expect(estimateLeftMs([], 2)).toBe(0);
  });

  it("is, before anything has started, what is estimated for the run without its start", () => {
    const slots = [times(5, "default", "abort"), times(5, "kill-1", "kill")];
    const left = estimateLeftMs(
      slots.map((queued) => ({ running: [], queued })),
      2,
    );
    expect(estimateRunMs(slots.flat(), 2) - left).toBe(estimateRunMs([], 2));
  });
});
