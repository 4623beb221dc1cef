import { describe, expect, it } from "vitest";
import { type JudgedRun, judgeFolder } from "../stored/judge-run.ts";
import { duplicateTrial, judgedRun } from "../stored/testing/stored-trials.ts";
import { safetyOf } from "./safety.ts";

const SET = "traces/golden/own_opencode-issue-tool/taken";

async function runOf(className: string): Promise<JudgedRun> {
  const all = await judgeFolder(SET);
  return { ...all, trials: all.trials.filter(({ environment }) => environment?.own?.class === className) };
}

describe("is my tool safe", () => {
  it("convicts a tool without a key, by the loss that takes least, with what would have prevented it", async () => {
    const safety = safetyOf(await runOf("PlainAgent"));
    expect(safety).toMatchObject({
      question: "Is the tool of PlainAgent (opencode-issue-tool) safe?",
      answer: "broken",
      smallest: { condition: "own/after-commit/abort/append/reissue" },
      actions: [{ action: "create-issue", valid: 3, duplicate: 2, lost: 0, unresolved: 0 }],
    });
    expect(safety?.prevention.map((text) => text.split(",")[0]?.split(":")[0])).toEqual([
      "a key",
      "a look-up before the repeat",
      "an approval of each call",
    ]);
    expect(safety?.required).toContainEqual({
      invariant: "no-duplicate",
      title: "no more effects than intended",
      held: 1,
      broken: 2,
    });
  });

  it("finds nothing against one whose key is absorbed, and says what that does not prove", async () => {
    const safety = safetyOf(await runOf("KeyedAgent"));
    expect(safety).toMatchObject({ answer: "kept", smallest: null, prevention: [] });
    expect(safety?.notProven.join("\n")).toMatch(
      /after-commit, and nowhere else.*not a measurement of OpenCode/s,
    );
  });

  it("is not known where nothing was lost, or a trial is not valid", async () => {
    const run = await runOf("KeyedAgent");
    const calm = run.trials.filter(({ spec }) => spec?.factors.reset === "none");
    expect(safetyOf({ ...run, trials: calm })?.answer).toBe("unknown");
    const spoilt = run.trials.map((trial, index) =>
      index > 0
        ? trial
        : { ...trial, verdict: { ...trial.verdict, validity: { value: "invalid" as const, reasons: [] } } },
    );
    expect(safetyOf({ ...run, trials: spoilt })?.sentence).toContain("1 of 3 trials are not valid");
  });

  it("names another invariant that does not hold", async () => {
    const run = await runOf("KeyedAgent");
    const trials = run.trials.map((trial) =>
      trial.spec?.factors.reset === "none"
        ? trial
        : {
            ...trial,
            requirement: {
              matches: false,
              differences: [{ axis: "required wakes-by-itself", expected: "", actual: "no" }],
            },
          },
    );
    expect(safetyOf({ ...run, trials })).toMatchObject({
      answer: "broken",
      sentence: expect.stringContaining("required wakes-by-itself, found no"),
    });
  });

  it("is not asked of the kit's own subjects", () => {
    expect(safetyOf(judgedRun([duplicateTrial()]))).toBeNull();
  });
});
