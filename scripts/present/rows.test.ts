import { describe, expect, it } from "vitest";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../judge/testing/stored-trials.ts";
import { COLUMNS, conditionRows, fold } from "./rows.ts";

const ABORT = "opencode/after-commit/abort/append/reissue";
const KILL = "opencode/after-commit/kill/unique/reissue";

describe("a condition's row", () => {
  it("says each answer in a column of its own", () => {
    const [row] = conditionRows(judgedRun([duplicateTrial()]));
    expect(row?.cells).toHaveLength(COLUMNS.length);
    expect(row).toEqual({
      condition: ABORT,
      canary: false,
      cells: [
        "1/1",
        "restored",
        "resumed",
        "replacement-\nwith-state",
        "2",
        "2/1",
        "duplicate",
        "model-\nreissue",
        "0.0",
        "yes",
      ],
      tone: "good",
    });
  });

  it("leaves invalid trials out of every cell and counts them", () => {
    const [row] = conditionRows(
      judgedRun([duplicateTrial(), invalidTrial({ trial: "run-1-t2", expect: HARMLESS })]),
    );
    expect(row?.cells.slice(0, 2)).toEqual(["1/2", "restored"]);
    expect(row?.cells.at(-1)).toBe("yes");
    expect(row?.tone).toBe("open");
  });

  it("says nothing of a condition without a valid trial", () => {
    const [row] = conditionRows(judgedRun([invalidTrial()]));
    expect(row?.cells).toEqual(["0/1", ...COLUMNS.slice(1).map(() => "–")]);
  });

  it("counts planned trials without a trace", () => {
    const missing = [{ trial: "run-1-t2", condition: ABORT, canary: false }];
    const [row] = conditionRows(judgedRun([duplicateTrial()], { missing }));
    expect([row?.cells[0], row?.tone]).toEqual(["1/2", "open"]);
  });

  it("shows each answer with its count when trials do not agree, the most frequent first", () => {
    const [row] = conditionRows(
      judgedRun([
        harmlessTrial({ condition: ABORT, expect: DUPLICATE }),
        duplicateTrial({ trial: "run-1-t2" }),
        duplicateTrial({ trial: "run-1-t3" }),
      ]),
    );
    expect(row?.cells[5]).toBe("2/1 ×2\n1/1 ×1");
    expect(row?.cells.at(-1)).toBe("2 of 3");
    expect(row?.tone).toBe("bad");
  });

  it("does not take an open answer for one", () => {
    const [row] = conditionRows(judgedRun([undecidedTrial()]));
    expect([row?.cells[8], row?.tone]).toEqual(["?", "open"]);
  });
});

describe("the rows", () => {
  it("follow the experiment's order, then the names, canaries last", () => {
    const run = judgedRun([
      duplicateTrial({ condition: "canary-replay/x", canary: true }),
      duplicateTrial({ condition: "a-new-one" }),
      harmlessTrial({ condition: KILL }),
      duplicateTrial({ condition: ABORT }),
    ]);
    expect(conditionRows(run, [KILL, ABORT]).map(({ condition }) => condition)).toEqual([
      KILL,
      ABORT,
      "a-new-one",
      "canary-replay/x",
    ]);
  });

  it("are none for a run without trials", () => {
    expect(conditionRows(judgedRun([]))).toEqual([]);
  });
});

describe("folding", () => {
  it.each([
    ["resumed", 11, "resumed"],
    ["not-interrupted", 11, "not-\ninterrupted"],
    ["replacement-without-state", 12, "replacement-\nwithout-\nstate"],
    ["indistinguishable", 12, "indistinguis\nhable"],
    ["duplicate ×12", 10, "duplicate\n×12"],
    ["", 5, ""],
  ])("'%s' at %i columns", (text, width, folded) => {
    expect(fold(text, width)).toBe(folded);
  });
});
