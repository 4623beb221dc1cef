import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Phase } from "../../src/trace/levels.ts";
import { Admission, fitting, type Underway } from "./admission.ts";

const CORES = 2;
const EMPTY = new Admission(CORES).room([], 0);
const at = (phase: Underway["phase"], grewAt = 0, weight = 1): Underway => ({ phase, grewAt, weight });
const times = (count: number, trial: Underway) => Array.from({ length: count }, () => trial);

describe("admission", () => {
  it("lets more trials start at once the more cores there are", () =>
    expect(new Admission(8).room([], 0)).toBe(4 * EMPTY));

  it("gives no room while as many as may are on their way to their point", () => {
    const admission = new Admission(CORES);
    expect(admission.room(times(EMPTY, at("arrive")), 1)).toBe(0);
    expect(admission.room(times(EMPTY - 1, at(null)), 1)).toBe(1);
  });

  it.each(["reset", "quiet", "settle"] as const)("takes no place for a trial that waits in '%s'", (phase) =>
    expect(new Admission(CORES).room(times(300, at(phase)), 1)).toBe(EMPTY),
  );

  it("keeps the place of one that is slow on its way, and gives up one that stands still", () => {
    const admission = new Admission(CORES);
    const slow = times(EMPTY, at("arrive", 0));
    expect(admission.room(slow, 9_000)).toBe(0);
    expect(admission.room(slow, 11_000)).toBe(EMPTY);
  });

  it("counts a heavy trial as many, and gives it as many times the time", () => {
    const admission = new Admission(CORES);
    expect(admission.room([at("arrive", 0, 3)], 1)).toBe(EMPTY - 3);
    expect(admission.room([at("arrive", 0, 3)], 29_000)).toBe(EMPTY - 3);
    expect(admission.room([at("arrive", 0, 3)], 31_000)).toBe(EMPTY);
  });

  it("waits for those that come back from the quiet interval, but not for one that waits in vain", () => {
    const admission = new Admission(CORES);
    expect(admission.room(times(EMPTY, at("reconnect")), 500)).toBe(0);
    expect(admission.room(times(EMPTY, at("reconnect")), 5_000)).toBe(EMPTY);
  });

  it("starts as many as fit, in order, and a heavy one wherever there is room at all", () => {
    const [plain, heavy] = [1, 3];
    expect(fitting([plain, plain, plain], 2)).toBe(2);
    expect(fitting([plain, heavy, plain], 3)).toBe(1);
    expect(fitting([heavy, plain], 1)).toBe(1);
    expect(fitting([heavy], 0)).toBe(0);
    expect(fitting([plain], Number.POSITIVE_INFINITY)).toBe(1);
  });

  it("never gives room for more than an idle machine would, nor for fewer than none", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            phase: fc.constantFrom(null, ...Phase.options),
            grewAt: fc.integer({ min: 0, max: 60_000 }),
            weight: fc.integer({ min: 1, max: 5 }),
          }),
          { maxLength: 400 },
        ),
        (open) => {
          const room = new Admission(CORES).room(open, 60_000);
          expect(room).toBeGreaterThanOrEqual(0);
          expect(room).toBeLessThanOrEqual(EMPTY);
        },
      ),
    ));
});
