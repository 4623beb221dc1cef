import { describe, expect, it } from "vitest";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../stored/testing/stored-trials.ts";
import { totalsLine, totalsOf } from "./totals.ts";

const line = (run: ReturnType<typeof judgedRun>) => totalsLine(totalsOf(run));

describe("a run in one line", () => {
  it("says how many trials are valid and as expected", () => {
    expect(line(judgedRun([duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })]))).toBe(
      "2 trials, 2 valid, 2 as expected, 0 differ.",
    );
  });

  it("counts every trial once, under what became of it", () => {
    const run = judgedRun(
      [
        duplicateTrial(),
        duplicateTrial({ trial: "run-1-t2", expect: HARMLESS }),
        duplicateTrial({ trial: "run-1-t3", expect: null }),
        undecidedTrial({ trial: "run-1-t4" }),
        invalidTrial({ trial: "run-1-t5" }),
        invalidTrial({ trial: "run-1-t6", expect: { validity: "invalid", reasons: ["point-not-reached"] } }),
        harmlessTrial({ trial: "run-1-t7", canary: true, expect: DUPLICATE }),
      ],
      { missing: [{ trial: "run-1-t8", condition: "x", canary: false }] },
    );
    expect(line(run)).toBe(
      "8 trials, 5 valid and 1 invalid as meant, 2 as expected, 1 differs, 1 with no expectation, " +
        "1 undecided, 1 invalid, 1 canary not convicted, 1 without a trace.",
    );
    const { trials, valid: _valid, meant: _meant, ...parts } = totalsOf(run);
    expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(trials);
  });

  it("of nothing says so", () => {
    expect(line(judgedRun([]))).toBe("0 trials, 0 valid, 0 as expected, 0 differ.");
  });
});
