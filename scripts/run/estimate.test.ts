import { describe, expect, it } from "vitest";
import { buildSpec } from "../../src/reconcile/testing/trace-builder.ts";
import { estimateRunMs, estimateTrialMs } from "./estimate.ts";

const trial = (slot: string, reset: "none" | "abort" | "kill") =>
  buildSpec({ slot, factors: { reset, quietMs: 40_000, settleMs: 2_000 } });
const times = (count: number, slot: string, reset: "abort" | "kill") =>
  Array.from({ length: count }, () => trial(slot, reset));

describe("the estimate", () => {
  it("counts the quiet interval only where something is reset", () => {
    expect(estimateTrialMs(trial("default", "abort")) - estimateTrialMs(trial("default", "none"))).toBe(
      40_000,
    );
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
