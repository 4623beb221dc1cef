import { describe, expect, it } from "vitest";
import { rateOf } from "../../src/summarize/rate.ts";
import { percentText, rateText, secondsText, signedText } from "./numbers.ts";

describe("a share in per cent", () => {
  it("is rounded away from what it claims", () => {
    expect(percentText(0.00991, "up")).toBe("1.00%");
    expect(percentText(0.98999, "down")).toBe("98.9%");
    expect(percentText(0.1234)).toBe("12.3%");
  });

  it("leaves round numbers alone", () => {
    for (const round of ["near", "up", "down"] as const)
      expect([0, 0.05, 0.29, 0.57, 1].map((share) => percentText(share, round))).toEqual([
        "0%",
        "5.0%",
        "29.0%",
        "57.0%",
        "100%",
      ]);
  });
});

describe("a rate", () => {
  it.each([
    ["between none and all has its interval", rateOf(81, 263, 263), "81/263\n25.5–36.7%"],
    ["with no event has an upper bound", rateOf(0, 299, 299), "0/299\n≤1.00%"],
    ["with nothing but events has a lower bound", rateOf(299, 299, 299), "299/299\n≥99.0%"],
    ["with few acts has a bound by act", rateOf(0, 299, 3), "0/299\n≤1.00%\n(≤63.2%)"],
    ["with nothing but events of few acts has one too", rateOf(40, 40, 1), "40/40\n≥92.7%\n(≥5.0%)"],
    ["of one trial is that trial", rateOf(1, 1, 1), "1/1"],
    ["without a trial is nothing", rateOf(0, 0, 0), "–"],
  ])("%s", (_name, rate, text) => {
    expect(rateText(rate)).toBe(text);
  });
});

it("shows seconds with the digits that matter", () => {
  expect([4, 160, 29_120, 100_000, null].map(secondsText)).toEqual(["0.00", "0.16", "29.1", "100.0", "–"]);
});

it("shows a difference with its sign", () => {
  expect([1, 1 / 3, 0, -2.5].map(signedText)).toEqual(["+1", "+0.33", "0", "−2.5"]);
});
