import { describe, expect, it } from "vitest";
import { conditionsOf } from "../../experiments/conditions.ts";
import { loadExperiment } from "../../experiments/registry.ts";
import { UserError } from "../errors.ts";
import { EVERYTHING, parseSelection, select, selectionFor } from "./selection.ts";

const conditions = conditionsOf(loadExperiment("recovery"));
const kept = (text: string) => select(conditions, parseSelection(text, conditions)).map(({ name }) => name);
const CANARY = "canary-replay/after-commit/abort/append/reissue";

describe("a selection", () => {
  it("keeps everything when it is empty", () => {
    expect(select(conditions, EVERYTHING)).toEqual(conditions);
  });

  it("keeps the conditions that have the level, and the canary", () => {
    expect(kept("reset=none")).toEqual([
      "opencode/none/none/append/reissue",
      "opencode/none/none/unique/reissue",
      CANARY,
    ]);
  });

  it("takes levels of one factor as alternatives and of different factors together", () => {
    expect(kept("policy=give-up,policy=look-up,reset=kill,destination=append")).toEqual([
      "opencode/after-commit/kill/append/give-up",
      "opencode/after-commit/kill/append/look-up",
      CANARY,
    ]);
  });

  it("leaves the canary out when a subject is named", () => {
    expect(kept("subject=opencode,reset=none")).not.toContain(CANARY);
    expect(kept("subject=canary-replay")).toEqual([CANARY]);
  });

  it("allows spaces, and levels that are numbers", () => {
    expect(kept("reset = none , quietMs=40000")).toEqual(kept("reset=none"));
  });

  it("written for a condition keeps that condition alone", () => {
    for (const { name, factors } of conditions) expect(kept(selectionFor(factors))).toEqual([name]);
  });

  it.each([
    ["policy", "'policy' is not of the form factor=level"],
    ["policy=", "'policy=' is not of the form factor=level"],
    ["policy=a=b", "'policy=a=b' is not of the form factor=level"],
    ["reset=none,", "'' is not of the form factor=level"],
    ["polcy=reissue", "unknown factor 'polcy'; known: subject, point, reset"],
    ["host=sdk", "the host is chosen with --host"],
    ["policy=reissu", "has policy 'reissu'; it has: reissue, give-up, look-up"],
    ["reset=none,policy=give-up", "no condition has reset=none and policy=give-up together"],
  ])("refuses '%s' and says why", (text, sentence) => {
    expect(() => parseSelection(text, conditions)).toThrow(UserError);
    expect(() => parseSelection(text, conditions)).toThrow(sentence);
  });
});
