/** `run --last-failed`, up to the plan of what would be run. */
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  duplicateTrial,
  harmlessTrial,
  invalidTrial,
  storeRun,
} from "../scripts/stored/testing/stored-trials.ts";
import { kit } from "./support/in-process.ts";

const DUPLICATES = "opencode/after-commit/abort/append/reissue";
const CANARY = "canary-replay/after-commit/abort/append/reissue";
const KILLED = "opencode/after-commit/kill/append/reissue";

let traces: string;
beforeAll(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-last-failed-"));
  await storeRun(join(traces, "run-old"), [invalidTrial({ condition: KILLED })]);
  await storeRun(join(traces, "run-new"), [
    duplicateTrial({ expect: { effects: 1 } }),
    harmlessTrial({ trial: "run-1-t2" }),
    duplicateTrial({ trial: "run-1-t3", condition: CANARY, canary: true, expect: { effects: 2 } }),
  ]);
  await storeRun(join(traces, "run-fine"), [harmlessTrial()]);
  for (const [name, at] of Object.entries({ "run-fine": 1, "run-old": 2, "run-new": 3 }))
    await utimes(join(traces, name, "run.json"), at, at);
});
afterAll(() => rm(traces, { recursive: true, force: true }));

async function planned(...args: string[]): Promise<string[]> {
  const { stdout } = await kit("run", ...args, "--traces", traces, "--dry-run", "--json");
  return JSON.parse(stdout)
    .specs.map(({ condition }: { condition: string }) => condition)
    .toSorted();
}

it("plans the conditions of the newest run that were not as expected, and its canaries", async () =>
  expect(await planned("--last-failed")).toEqual([CANARY, DUPLICATES]));

it("plans those of the run that is named, by its id or its folder", async () => {
  expect(await planned("--last-failed", "run-old")).toEqual([KILLED]);
  expect(await planned("--last-failed", join(traces, "run-old"))).toEqual([KILLED]);
});

it.each([
  [["--last-failed", "run-fine"], "no trial is red, invalid, undecided or missing; nothing is run"],
  [["--last-failed", "run-none"], "nor 'run-none' is the folder of a run"],
  [["controls", "--last-failed"], "no run of experiment 'controls' is stored"],
  [["controls", "--last-failed", "run-old"], "is of experiment 'recovery', not 'controls'"],
  [["--last-failed", "--condition", DUPLICATES], "cannot be used with option"],
])("refuses run %j", async (args, words) => {
  const { code, stderr } = await kit("run", ...args, "--traces", traces, "--dry-run");
  expect(stderr).toContain(words);
  expect(code).toBe(2);
});
