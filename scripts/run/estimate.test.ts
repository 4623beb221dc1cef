import { describe, expect, it } from "vitest";
import { buildSpec } from "../../src/reconcile/testing/trace-builder.ts";
import type { Factors } from "../../src/trace/spec.ts";
import { estimateRunMs, estimateTrialMs } from "./estimate.ts";

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

  it("of nothing is the time to start", () => {
    expect(estimateRunMs([], 8)).toBeGreaterThan(0);
  });
});
