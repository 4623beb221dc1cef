import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canDiffer, fisherExact, holm } from "./fisher.ts";

const counts = fc
  .integer({ min: 0, max: 400 })
  .chain((trials) => fc.integer({ min: 0, max: trials }).map((events) => ({ events, trials })));
const without = ({ events, trials }: { events: number; trials: number }) => ({
  events: trials - events,
  trials,
});

describe("Fisher's exact test", () => {
  // [events, trials] of each: the lady tasting tea (Fisher 1935); convictions of twins (Fisher 1970, as in R's manual);
  // the studying women of the usual textbook table; 299 of 299 against none.
  it.each([
    ["the lady tasting tea", [3, 4], [1, 4], 0.4857142857],
    ["the convictions of twins", [2, 12], [15, 18], 0.0005367241],
    ["the students", [1, 10], [11, 14], 0.0027594561],
    ["one against none of three", [1, 3], [0, 3], 1],
    ["all against none of three", [3, 3], [0, 3], 0.1],
  ] as const)("gives the published p of %s", (_name, [e1, n1], [e2, n2], p) => {
    expect(fisherExact({ events: e1, trials: n1 }, { events: e2, trials: n2 })).toBeCloseTo(p, 9);
  });

  it("does not depend on which of the two is named first, nor on what is called an event", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const p = fisherExact(a, b);
        expect(fisherExact(b, a)).toBeCloseTo(p, 9);
        expect(fisherExact(without(a), without(b))).toBeCloseTo(p, 9);
      }),
    );
  });

  it("is a probability, and 1 where the two agree", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const p = fisherExact(a, b);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(fisherExact(a, a)).toBeCloseTo(1, 9);
        if (!canDiffer(a, b)) expect(p).toBeCloseTo(1, 9);
      }),
    );
  });

  it("finds a larger difference less probable", () => {
    const p = [0, 5, 10, 20].map((events) => fisherExact({ events: 0, trials: 20 }, { events, trials: 20 }));
    expect(p).toEqual([...p].sort((a, b) => b - a));
  });

  it("sums to 1 over all splits of which none is more probable than the first", () => {
    // 1 of 1 against 0 of 1: both splits are equally probable, so each is as extreme as the other.
    expect(fisherExact({ events: 1, trials: 1 }, { events: 0, trials: 1 })).toBeCloseTo(1, 12);
  });
});

describe("Holm's correction", () => {
  it("gives the published values", () => {
    // Wright, Biometrics 48 (1992), as R's p.adjust(…, "holm") gives them.
    expect(holm([0.01, 0.02, 0.03, 0.04, 0.05])).toEqual([0.05, 0.08, 0.09, 0.09, 0.09].map(near));
    expect(holm([0.04, 0.01])).toEqual([0.04, 0.02].map(near));
  });

  it("never lowers a p, keeps their order and stays at 1", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 }), (values) => {
        const adjusted = holm(values);
        values.forEach((p, index) => {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p);
          expect(adjusted[index]).toBeLessThanOrEqual(1);
          values.forEach((other, at) => {
            if (p < other) expect(adjusted[index]).toBeLessThanOrEqual(adjusted[at] ?? -1);
          });
        });
      }),
    );
  });
});

function near(value: number) {
  return expect.closeTo(value, 12);
}
