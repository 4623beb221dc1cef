import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateOf, wilson, zeroEventBound } from "./rate.ts";
import { chanceToSee, samplesForRate } from "./sample-size.ts";

const counts = fc
  .integer({ min: 1, max: 2_000 })
  .chain((trials) => fc.integer({ min: 0, max: trials }).map((events) => ({ events, trials })));

describe("Wilson's interval", () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i in %i is the published one", (events, trials, low, high) => {
    const interval = wilson(events, trials);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it("is none without a trial", () => {
    expect(wilson(0, 0)).toBeNull();
  });

  it("contains the estimate and stays between 0 and 1", () => {
    fc.assert(
      fc.property(counts, ({ events, trials }) => {
        const { low, high } = wilson(events, trials) ?? { low: Number.NaN, high: Number.NaN };
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(events / trials);
        expect(high).toBeGreaterThanOrEqual(events / trials);
        expect(high).toBeGreaterThan(low);
      }),
    );
  });

  it("moves up with every further event", () => {
    fc.assert(
      fc.property(counts, ({ events, trials }) => {
        fc.pre(events < trials);
        const [one, more] = [wilson(events, trials), wilson(events + 1, trials)];
        expect(more?.low).toBeGreaterThan(one?.low ?? 1);
        expect(more?.high).toBeGreaterThan(one?.high ?? 1);
      }),
    );
  });

  it("is the mirror image for trials without the event", () => {
    fc.assert(
      fc.property(counts, ({ events, trials }) => {
        const [one, other] = [wilson(events, trials), wilson(trials - events, trials)];
        expect(one?.low).toBeCloseTo(1 - (other?.high ?? 0), 12);
        expect(one?.high).toBeCloseTo(1 - (other?.low ?? 0), 12);
      }),
    );
  });

  it.each([
    [-1, 3],
    [4, 3],
    [0.5, 3],
    [0, Number.NaN],
  ])("of %d in %d is refused: that is no count", (events, trials) => {
    expect(() => wilson(events, trials)).toThrow(RangeError);
  });
});

describe("the bound when no event was seen", () => {
  it("is at most 1 % for 299 trials, and more than that for 298", () => {
    expect(zeroEventBound(299)).toBeLessThanOrEqual(0.01);
    expect(zeroEventBound(298)).toBeGreaterThan(0.01);
  });

  // Hanley and Lippman-Hand, JAMA 249 (1983), 95 % one-sided, in whole per cent.
  it.each([
    [10, 26],
    [20, 14],
    [30, 10],
    [50, 6],
    [100, 3],
  ])("for %i trials is the published one", (trials, percent) => {
    expect(Math.round(zeroEventBound(trials) * 100)).toBe(percent);
  });

  it("is the limit of Clopper and Pearson's two-sided interval at 97.5 %", () => {
    // Newcombe 1998, table I, method 5: 0 of 20.
    expect(zeroEventBound(20, 0.975)).toBeCloseTo(0.1684, 4);
  });

  it("falls with every further trial", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (trials) => {
        expect(zeroEventBound(trials + 1)).toBeLessThan(zeroEventBound(trials));
      }),
    );
  });

  it("is exact: at that rate, so many trials show nothing with a chance of 5 %", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (trials) => {
        expect((1 - zeroEventBound(trials)) ** trials).toBeCloseTo(0.05, 9);
      }),
    );
  });
});

describe("a rate", () => {
  it("has an upper bound only when nothing was seen, and a lower one only when nothing else was", () => {
    expect(rateOf(0, 299, 299)).toMatchObject({ atMost: zeroEventBound(299), atLeast: null });
    expect(rateOf(299, 299, 299)).toMatchObject({ atMost: null, atLeast: 1 - zeroEventBound(299) });
    expect(rateOf(1, 299, 299)).toMatchObject({ atMost: null, atLeast: null, atMostByCluster: null });
  });

  it("is bounded less tightly by clusters than by trials", () => {
    expect(rateOf(0, 299, 3).atMostByCluster).toBe(zeroEventBound(3));
    expect(rateOf(299, 299, 3).atLeastByCluster).toBe(1 - zeroEventBound(3));
  });

  it("says nothing without a trial", () => {
    expect(rateOf(0, 0, 0)).toEqual({
      events: 0,
      trials: 0,
      clusters: 0,
      low: null,
      high: null,
      atMost: null,
      atLeast: null,
      atMostByCluster: null,
      atLeastByCluster: null,
    });
  });
});

describe("the sample size for a rate", () => {
  it.each([
    [0.05, 59],
    [0.01, 299],
    [0.1, 29],
    [0.5, 5],
    [1, 1],
  ])("of %d is %i trials", (rate, samples) => {
    expect(samplesForRate(rate)).toBe(samples);
  });

  it("is the smallest that shows the rate with the confidence asked for", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-5, max: 1, noNaN: true }),
        fc.double({ min: 0.01, max: 0.9999, noNaN: true }),
        (rate, confidence) => {
          const samples = samplesForRate(rate, confidence);
          expect(chanceToSee(rate, samples)).toBeGreaterThanOrEqual(confidence - 1e-12);
          if (samples > 1) expect(chanceToSee(rate, samples - 1)).toBeLessThan(confidence);
        },
      ),
    );
  });

  it("agrees with the bound: so many trials without an event bound the rate by that rate", () => {
    for (const rate of [0.01, 0.05, 1 / 299]) {
      expect(zeroEventBound(samplesForRate(rate))).toBeLessThanOrEqual(rate);
      expect(zeroEventBound(samplesForRate(rate) - 1)).toBeGreaterThan(rate);
    }
  });

  it("is endless for certainty", () => {
    expect(samplesForRate(0.5, 1)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([0, -0.1, 1.1, Number.NaN])("of %d is refused", (rate) => {
    expect(() => samplesForRate(rate)).toThrow(RangeError);
  });
});
