import { describe, expect, it } from "vitest";
import type { Expectation } from "../../src/trace/spec.ts";
import { acquittedCanaries, EXIT, exitCodeOf, outcomeOf, undecidedAxes, worstOf } from "./outcome.ts";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  judged,
  judgedRun,
  undecidedTrial,
} from "./testing/stored-trials.ts";

const TRIPPED: Expectation = { validity: "invalid", reasons: ["point-not-reached"] };

describe("a trial", () => {
  it.each([
    ["as expected", duplicateTrial(), "as-expected"],
    ["without an expectation", duplicateTrial({ expect: null }), "no-expectation"],
    ["with another verdict than expected", duplicateTrial({ expect: HARMLESS }), "differs"],
    ["that is invalid", invalidTrial(), "invalid"],
    ["that the evidence leaves open", undecidedTrial(), "unknown"],
    ["that is open and differs", undecidedTrial({ expect: HARMLESS }), "unknown"],
    ["that is a convicted canary", duplicateTrial({ canary: true }), "as-expected"],
    [
      "that is a canary with open axes beside the conviction",
      undecidedTrial({ canary: true }),
      "as-expected",
    ],
    ["that is an acquitted canary", harmlessTrial({ canary: true, expect: DUPLICATE }), "acquitted"],
    [
      "that is a canary nobody said how to convict",
      duplicateTrial({ canary: true, expect: null }),
      "acquitted",
    ],
    ["that was made to trip a gate, and did", invalidTrial({ expect: TRIPPED }), "as-expected"],
    ["that was made to trip a gate, and is valid", duplicateTrial({ expect: TRIPPED }), "differs"],
    [
      "that was made to trip another gate than it did",
      invalidTrial({ expect: { validity: "invalid", reasons: ["canary-silent"] } }),
      "invalid",
    ],
    ["that is a canary made to trip a gate", invalidTrial({ canary: true, expect: TRIPPED }), "invalid"],
    ["that is an invalid canary", invalidTrial({ canary: true }), "invalid"],
  ])("%s", (_name, builder, outcome) => {
    expect(outcomeOf(judged(builder))).toBe(outcome);
  });

  it("in which the law is breached shows that the kit is wrong", () => {
    const builder = duplicateTrial();
    const at = builder.records.findIndex(({ type }) => type === "attempt.received");
    builder.records.splice(at, 1);
    builder.records.forEach((record, index) => {
      record.seq = index + 1;
    });
    expect(outcomeOf(judged(builder))).toBe("kit-wrong");
    expect(exitCodeOf(judgedRun([builder, invalidTrial()]))).toBe(EXIT.kitFailed);
  });

  it("is decided where the experiment expects the axis to stay open", () => {
    const { verdict } = judged(undecidedTrial());
    expect(undecidedAxes(verdict, new Set())).toEqual(["autonomous"]);
    expect(undecidedAxes(verdict, new Set(["autonomous=unknown"]))).toEqual([]);
  });
});

describe("a run", () => {
  const good = [duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })];
  const missing = [{ trial: "run-1-t9", condition: "opencode/x", canary: false }];

  it.each([
    ["0 when all is as expected", judgedRun(good), EXIT.asExpected],
    [
      "0 when a trial tripped the gate that it was made for",
      judgedRun([...good, invalidTrial({ expect: TRIPPED })]),
      EXIT.asExpected,
    ],
    ["1 when a gate is blind", judgedRun([...good, duplicateTrial({ expect: TRIPPED })]), EXIT.differs],
    ["1 when a verdict differs", judgedRun([...good, duplicateTrial({ expect: HARMLESS })]), EXIT.differs],
    ["3 when a trial is invalid", judgedRun([...good, invalidTrial()]), EXIT.undecided],
    ["3 when a trial is undecided", judgedRun([...good, undecidedTrial()]), EXIT.undecided],
    [
      "3 rather than 1 when both happen",
      judgedRun([duplicateTrial({ expect: HARMLESS }), invalidTrial()]),
      EXIT.undecided,
    ],
    [
      "3 when a canary is acquitted",
      judgedRun([...good, harmlessTrial({ canary: true, expect: DUPLICATE })]),
      EXIT.undecided,
    ],
    ["3 when a planned trial left no trace", judgedRun(good, { missing }), EXIT.undecided],
    ["3 when the folder is not whole", judgedRun(good, { problems: ["…"] }), EXIT.undecided],
    ["3 when nothing is left of it", judgedRun([], { missing }), EXIT.undecided],
  ])("gives %s", (_name, run, code) => {
    expect(exitCodeOf(run)).toBe(code);
  });

  it("names the canaries that were not convicted, absent ones included, each once", () => {
    const canary = { condition: "canary-replay/a", canary: true };
    const run = judgedRun(
      [
        invalidTrial(canary),
        invalidTrial({ ...canary, trial: "run-1-t2" }),
        duplicateTrial({ canary: true }),
      ],
      { missing: [{ trial: "run-1-t3", condition: "canary-replay/b", canary: true }] },
    );
    expect(acquittedCanaries(run)).toEqual(["canary-replay/a", "canary-replay/b"]);
  });
});

describe("several runs together", () => {
  it("give the gravest code, in the order 4, 2, 3, 1, 0", () => {
    expect(worstOf([0, 1, 3, 2, 4])).toBe(4);
    expect(worstOf([0, 1, 3, 2])).toBe(2);
    expect(worstOf([0, 1, 3])).toBe(3);
    expect(worstOf([0, 1])).toBe(1);
    expect(worstOf([])).toBe(0);
  });
});
