import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Duration, distributionOf } from "./distribution.ts";

const durations = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 100_000 }),
    fc.constantFrom<Duration>("censored", "undated", "not-applicable"),
  ),
  { maxLength: 200 },
);
const QUANTILES = ["min", "p50", "p90", "p99", "max"] as const;

describe("a distribution of durations", () => {
  it("is empty without any", () => {
    expect(distributionOf([])).toEqual({
      observed: 0,
      censored: 0,
      undated: 0,
      notApplicable: 0,
      min: null,
      p50: null,
      p90: null,
      p99: null,
      max: null,
    });
  });

  it("gives the quantiles of R and numpy (type 7) when all were observed", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(distributionOf(hundred)).toMatchObject({ min: 1, p50: 50.5, p90: 90.1, p99: 99.01, max: 100 });
  });

  it("counts the censored as longer than all observed, so that a late quantile is open", () => {
    expect(distributionOf([10, "censored", 30, 20, "censored"])).toEqual({
      observed: 3,
      censored: 2,
      undated: 0,
      notApplicable: 0,
      min: 10,
      p50: 30,
      p90: null,
      p99: null,
      max: null,
    });
  });

  it("leaves the undated and what had nothing to wait for out of the quantiles, and counts them", () => {
    expect(distributionOf([10, "undated", "not-applicable", "undated"])).toMatchObject({
      observed: 1,
      censored: 0,
      undated: 2,
      notApplicable: 1,
      max: 10,
    });
  });

  it("never drops a trial", () => {
    fc.assert(
      fc.property(durations, (all) => {
        const { observed, censored, undated, notApplicable } = distributionOf(all);
        expect(observed + censored + undated + notApplicable).toBe(all.length);
      }),
    );
  });

  it("has quantiles that rise, and open ones only above all others", () => {
    fc.assert(
      fc.property(durations, (all) => {
        const distribution = distributionOf(all);
        const values = QUANTILES.map((name) => distribution[name] ?? Number.POSITIVE_INFINITY);
        expect(values).toEqual([...values].sort((a, b) => a - b));
      }),
    );
  });

  it("never gets shorter when another trial is censored", () => {
    fc.assert(
      fc.property(durations, (all) => {
        fc.pre(all.some((one) => typeof one === "number"));
        const [before, after] = [distributionOf(all), distributionOf([...all, "censored"])];
        for (const name of QUANTILES)
          expect(after[name] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(
            before[name] ?? Number.POSITIVE_INFINITY,
          );
      }),
    );
  });
});
