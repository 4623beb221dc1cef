import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { levelsOf, timeScale } from "./time-scale.ts";

const TRIAL = [-4_150, -1_260, -1_255, 0, 140, 26_890, 27_230, 27_240, 40_450, 45_520];

describe("the line of times", () => {
  it("true to scale, half of the time is half of the line", () => {
    const { at } = timeScale([0, 10, 1_000], { width: 800, waitsShort: false });
    expect([at(0), at(500), at(1_000)]).toEqual([0, 400, 800]);
  });

  it("with waits drawn short, gives what comes close together more room, and a wait less", () => {
    const even = timeScale(TRIAL, { width: 800, waitsShort: false });
    const short = timeScale(TRIAL, { width: 800, waitsShort: true });
    expect(short.at(140) - short.at(0)).toBeGreaterThan(even.at(140) - even.at(0));
    expect(short.at(26_890) - short.at(140)).toBeLessThan(even.at(26_890) - even.at(140));
  });

  it("never turns the order round, and stays on the line", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -60_000, max: 300_000 }), { minLength: 1, maxLength: 60 }),
        fc.boolean(),
        (times, waitsShort) => {
          const { at, ticks } = timeScale(times, { width: 700, waitsShort });
          const places = times.toSorted((a, b) => a - b).map(at);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          for (const place of places) {
            expect(place).toBeGreaterThanOrEqual(0);
            expect(place).toBeLessThanOrEqual(700.000_1);
          }
          for (const [index, tick] of ticks.slice(1).entries())
            expect(at(tick) - at(ticks[index] ?? 0)).toBeGreaterThanOrEqual(64);
        },
      ),
    );
  });

  it("names the zero that all times count from", () => {
    expect(timeScale(TRIAL, { width: 800, waitsShort: true }).ticks).toContain(0);
    expect(timeScale(TRIAL, { width: 800, waitsShort: false }).ticks).toContain(0);
  });
});

describe("levels of marks", () => {
  it("stay on the line where there is room, and give way to both sides where there is none", () => {
    expect(levelsOf([0, 20, 21, 22, 40], 10)).toEqual([0, 0, 1, -1, 0]);
  });
});
