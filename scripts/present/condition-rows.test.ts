import { describe, expect, it } from "vitest";
import type { Expectation } from "../../src/trace/spec.ts";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../stored/testing/stored-trials.ts";
import { COLUMNS, conditionRows } from "./condition-rows.ts";

const ABORT = "opencode/after-commit/abort/append/reissue";
const KILL = "opencode/after-commit/kill/unique/reissue";

describe("a condition's row", () => {
  it("says each answer in a column of its own", () => {
    const [row] = conditionRows(judgedRun([duplicateTrial()]), [
      { name: ABORT, family: "acknowledgement-gap", canary: false },
    ]);
    expect(row?.cells).toHaveLength(COLUMNS.length);
    expect(row).toEqual({
      condition: ABORT,
      family: "acknowledgement-gap",
      canary: false,
      remark: "trial t1",
      cells: [
        "restored",
        "resumed",
        "replacement-with-state",
        "2",
        "2/1",
        "duplicate",
        "model-reissue",
        "0.0",
      ],
      note:
        "model told failed · rebound g1→g2 · old work interrupted · result reconstructed · new work untested · " +
        "log cursor 1→7, not read on, 0 missing, 0 changed",
      tone: "good",
    });
  });

  it("leaves invalid trials out of every cell, counts them and says why", () => {
    const [row] = conditionRows(
      judgedRun([duplicateTrial(), invalidTrial({ trial: "run-1-t2", expect: HARMLESS })]),
    );
    expect(row?.cells?.[0]).toBe("restored");
    expect(row?.remark).toBe("1/2 valid, point-not-reached, trials t1 t2");
    expect(row?.tone).toBe("open");
  });

  it("has no cells without a valid trial", () => {
    const [row] = conditionRows(judgedRun([invalidTrial()]));
    expect(row).toMatchObject({
      cells: null,
      remark: "0/1 valid, point-not-reached, trial t1",
      tone: "open",
    });
  });

  it("is good when its trial was made to be invalid, and is", () => {
    const expected: Expectation = { validity: "invalid", reasons: ["point-not-reached"] };
    const [row] = conditionRows(judgedRun([invalidTrial({ expect: expected })]));
    expect(row).toMatchObject({ remark: "0/1 valid, point-not-reached, trial t1", tone: "good" });
    const [blind] = conditionRows(judgedRun([duplicateTrial({ expect: expected })]));
    expect(blind?.tone).toBe("bad");
  });

  it("counts planned trials without a trace", () => {
    const missing = [{ trial: "run-1-t2", condition: ABORT, canary: false }];
    const [row] = conditionRows(judgedRun([duplicateTrial()], { missing }));
    expect([row?.remark, row?.tone]).toEqual(["1/2 valid, 1 without a trace, trials t1 t2", "open"]);
  });

  it("shows each answer with its count when trials do not agree, the most frequent first", () => {
    const [row] = conditionRows(
      judgedRun([
        harmlessTrial({ condition: ABORT, expect: DUPLICATE }),
        duplicateTrial({ trial: "run-1-t2" }),
        duplicateTrial({ trial: "run-1-t3" }),
      ]),
    );
    expect(row?.cells?.[COLUMNS.indexOf("effects")]).toBe("2/1 ×2\n1/1 ×1");
    expect(row?.remark).toBe("3/3 valid, 2 of 3 as expected, trials t1 t2 t3");
    expect(row?.tone).toBe("bad");
  });

  it("does not take an open answer for one", () => {
    const [row] = conditionRows(judgedRun([undecidedTrial()]));
    expect([row?.cells?.[COLUMNS.indexOf("woke")], row?.tone]).toEqual(["?", "open"]);
  });
});

describe("the rows", () => {
  const canary = { condition: "canary-replay/x", canary: true };
  const run = judgedRun([
    duplicateTrial({ ...canary, condition: "canary-claim/x" }),
    duplicateTrial(canary),
    duplicateTrial({ condition: "a-new-one" }),
    harmlessTrial({ condition: KILL }),
    duplicateTrial({ condition: ABORT }),
  ]);
  const rows = conditionRows(run, [
    { name: KILL, family: "gap", canary: false },
    { name: ABORT, family: "gap", canary: false },
    { name: "canary-replay/x", family: "canaries", canary: true },
  ]);

  it("follow the experiment's order, then the names, canaries last", () => {
    expect(rows.map(({ condition }) => condition)).toEqual([
      KILL,
      ABORT,
      "a-new-one",
      "canary-replay/x",
      "canary-claim/x",
    ]);
  });

  it("say the block that a condition comes from, or that it is of none", () => {
    expect(rows.map(({ family }) => family)).toEqual([
      "gap",
      "gap",
      "not declared in the experiment",
      "canaries",
      "canaries",
    ]);
  });

  it("are none for a run without trials", () => {
    expect(conditionRows(judgedRun([]))).toEqual([]);
  });
});
