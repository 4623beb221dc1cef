import { describe, expect, it } from "vitest";
import { conditionsOf } from "../../experiments/conditions.ts";
import { loadExperiment } from "../../experiments/registry.ts";
import { STAND_IN_CAVEAT } from "../../src/summarize/caveat.ts";
import type { Expectation } from "../../src/trace/spec.ts";
import { EXIT, exitCodeOf } from "../stored/outcome.ts";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../stored/testing/stored-trials.ts";
import { jsonResult, RunResult } from "./json-result.ts";
import { PLAIN_PAGE } from "./page.ts";
import { renderResult } from "./result-text.ts";

const ABORT = "opencode/after-commit/abort/append/reissue";
const declared = conditionsOf(loadExperiment("recovery"));
const show = (run: ReturnType<typeof judgedRun>, exitCode = exitCodeOf(run)) =>
  renderResult(run, { exitCode, declared, page: PLAIN_PAGE });

const canary = {
  trial: "run-1-t9",
  condition: "canary-replay/after-commit/abort/append/reissue",
  canary: true,
};
const mixed = judgedRun(
  [
    duplicateTrial(),
    harmlessTrial({ trial: "run-1-t2", expect: DUPLICATE }),
    invalidTrial({ trial: "run-1-t3" }),
    undecidedTrial({ trial: "run-1-t4" }),
    duplicateTrial(canary),
  ],
  { missing: [{ trial: "run-1-t5", condition: "opencode/none/none/append/reissue", canary: false }] },
);

describe("the result of a run", () => {
  it("fits 100 columns, but for commands that are meant to be copied", () => {
    const lines = show(mixed).split("\n");
    const wide = lines.filter((line) => line.length > 100 && !/^ +(judge|again): /.test(line));
    expect(wide).toEqual([]);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  it("names the host and what it is worth before anything that it did", () => {
    const text = show(mixed);
    const flat = text.replace(/\s+/g, " ");
    expect(flat).toContain(STAND_IN_CAVEAT);
    expect(flat.indexOf("host: stand-in")).toBeLessThan(flat.indexOf("restored"));
  });

  it("says nothing of the stand-in when the SDK ran", () => {
    const sdk = { kind: "sdk", name: "@opencode/sdk", version: "2.1.0" } as const;
    const text = show(judgedRun([duplicateTrial()], { host: sdk }));
    expect(text).toContain("host: sdk (@opencode/sdk 2.1.0)");
    expect(text).not.toContain("stand-in says");
  });

  it("lists what is invalid, missing, open or unexpected with the commands that look again", () => {
    const text = show(mixed);
    expect(text).toContain("run-1-t5  opencode/none/none/append/reissue");
    expect(text).toMatch(/Invalid\n {2}run-1-t3 {2}.*\n.*point.*not reached/i);
    expect(text).toContain("judge: npm run judge -- traces/run-1/run-1-t3.jsonl");
    expect(text).toContain("effects: expected 2, found 1");
    expect(text).toContain("the evidence does not decide: autonomous");
    expect(text).toMatch(
      /again: npm run kit -- run recovery --host stand-in .*--condition opencode\/after-commit\/kill\/unique\/reissue\n/,
    );
    expect(text).toMatch(/invalid, missing or undecided \(exit code 3\)\.$/);
  });

  it("offers to run again under the SDK sets that a trial had", () => {
    const command = ["upgrade", "--from", "current", "--to", "agents=1.0.0"];
    const again = (condition: string, before: string, after: string) => {
      const trial = invalidTrial({ condition });
      Object.assign(trial.spec, { sets: { before, after } });
      Object.assign(trial.environment, { commandLine: command });
      return show(judgedRun([trial])).match(/again: (.*)$/m)?.[1];
    };
    expect(again(ABORT, "date-2026-11-01", "date-2026-11-01")).toMatch(
      /^npm run kit -- run recovery --set date-2026-11-01 .*--condition opencode\/after-commit\/abort\/append\/reissue$/,
    );
    expect(again(`${ABORT}/way=in-flight`, "current", "current+agents-1.0.0")).toMatch(
      /^npm run upgrade -- --from current --to agents=1\.0\.0 --experiment recovery .*--condition opencode\/after-commit\/abort\/append\/reissue$/,
    );
  });

  it.each([
    [
      "a file of the user's own",
      ["recovery-kit", "run", "./recovery.config.ts"],
      `npm run kit -- run ./recovery.config.ts --condition own/gap`,
    ],
    [
      "a try",
      ["recovery-kit", "try", "--agent", "node a.mjs"],
      "npm run kit -- try --agent 'node a.mjs' (folders were left out)",
    ],
  ])("offers to run again %s as it was asked for", (_, commandLine, again) => {
    const trial = invalidTrial({ condition: "own/gap", experiment: "own" });
    Object.assign(trial.environment, { commandLine });
    expect(show(judgedRun([trial]))).toContain(`again: ${again}`);
  });

  it("does not offer to run again what the experiment no longer has", () => {
    const text = show(judgedRun([invalidTrial({ condition: "opencode/a-former-one" })]));
    expect(text).toContain("again: not as it was: recovery no longer has this condition");
  });

  it("says how much of the experiment ran when it is not the whole", () => {
    expect(show(mixed)).toMatch(/of the experiment's \d+ conditions: not the whole matrix/);
    const every = declared.map(({ name, canary: isCanary }, index) =>
      duplicateTrial({ trial: `run-1-t${index}`, condition: name, canary: isCanary }),
    );
    expect(show(judgedRun(every))).not.toContain("not the whole matrix");
    const missing = { trial: "run-1-t0", condition: declared[0]?.name ?? "", canary: false };
    expect(show(judgedRun(every.slice(1), { missing: [missing] }))).not.toContain("not the whole matrix");
  });

  it("says that it was interrupted and taken up again", () => {
    expect(show(judgedRun([duplicateTrial()], { resumed: 1 }))).toContain("interrupted and resumed 1 time\n");
    expect(show(judgedRun([duplicateTrial()]))).not.toContain("interrupted and resumed");
  });

  it("puts trials with the same difference into one entry", () => {
    const different = { expect: HARMLESS };
    const text = show(
      judgedRun([duplicateTrial(different), duplicateTrial({ ...different, trial: "run-1-t2", repeat: 2 })]),
    );
    expect(text.match(/effects: expected 1, found 2/g)).toHaveLength(1);
    expect(text).toMatch(/run-1-t1 {2}.*\n {2}run-1-t2 {2}/);
  });

  it("says in words that a run without its conviction is invalid as a whole", () => {
    const acquitted = judgedRun([duplicateTrial(), harmlessTrial({ ...canary, expect: DUPLICATE })]);
    expect(show(acquitted)).toContain("The run is invalid as a whole");
    expect(exitCodeOf(acquitted)).toBe(EXIT.undecided);
    expect(show(mixed)).not.toContain("invalid as a whole");
  });

  it("says when no canary was there to be convicted", () => {
    expect(show(judgedRun([duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })]))).toContain("No canary");
  });

  it("is one sentence when all is well", () => {
    expect(show(judgedRun([duplicateTrial(), duplicateTrial(canary)]))).toMatch(
      /\nAll trials are valid and as expected\.$/,
    );
  });

  it("says that all is as expected, not that all is valid, when a trial was made to be invalid", () => {
    const wanted: Expectation = { validity: "invalid", reasons: ["point-not-reached"] };
    const meant = invalidTrial({ expect: wanted });
    const text = show(judgedRun([meant, duplicateTrial(canary)]));
    expect(text).toMatch(/Invalid, as they were made to be\n {2}run-1-t1 {2}.*\n.*not reached/);
    expect(text).toMatch(/\n2 trials, 1 valid and 1 invalid as meant, .*\nAll trials are as expected\.$/);
  });

  it("says which reason was expected of a trial that is invalid for another", () => {
    const wanted: Expectation = { validity: "invalid", reasons: ["canary-silent"] };
    const text = show(judgedRun([invalidTrial({ expect: wanted })]));
    expect(text).toMatch(/\nInvalid\n(.*\n)*.*reasons: expected canary-silent, found none/);
  });

  it("can be shown when nothing could be read", () => {
    const run = judgedRun([], {
      host: null,
      experiment: null,
      seed: null,
      problems: ["run.json cannot be read"],
    });
    expect(show(run)).toContain("host: unknown");
  });

  it("carries no colour codes unless asked for", () => {
    expect(show(mixed)).not.toContain("\u001b");
  });
});

describe("the result as JSON", () => {
  it("is what its schema says, with every trial's outcome", () => {
    const result = RunResult.parse(JSON.parse(jsonResult(mixed, EXIT.undecided, [])));
    expect(result).toMatchObject({
      run: "run-1",
      experiment: "recovery",
      exitCode: 3,
      missing: ["run-1-t5"],
    });
    expect(result.trials.map(({ trial, outcome }) => [trial, outcome])).toEqual([
      ["run-1-t1", "as-expected"],
      ["run-1-t2", "differs"],
      ["run-1-t3", "invalid"],
      ["run-1-t4", "unknown"],
      ["run-1-t9", "as-expected"],
    ]);
    expect(result.trials[1]?.expectation).toMatchObject({ matches: false });
  });
});
