/** `summary`, `compare` and `plan` as a user meets them, over stored traces. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  storeRun,
} from "../scripts/stored/testing/stored-trials.ts";
import { Comparison } from "../src/summarize/comparison.ts";
import { Summary } from "../src/summarize/summary.ts";
import { kit } from "./support/in-process.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-statistics-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function stored(name: string, builders: Parameters<typeof storeRun>[1]): Promise<string> {
  const folder = join(dir, name);
  await storeRun(folder, builders);
  return folder;
}
const several = (count: number, make: typeof duplicateTrial) =>
  Array.from({ length: count }, (_, index) => make({ trial: `run-1-t${index + 1}`, repeat: index + 1 }));

describe("summary", () => {
  it("counts a stored run", async () => {
    const folder = await stored("counted", several(3, duplicateTrial));
    const { code, stdout, stderr } = await kit("summary", folder);
    expect(stdout).toContain("3 trials: 3 valid, 0 invalid · 3 resets by 3 acts");
    expect(stdout).toContain("near copies");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("prints one JSON object of its schema", async () => {
    const folder = await stored("json", several(2, duplicateTrial));
    const { stdout, stderr } = await kit("summary", folder, "--json");
    const summary = Summary.parse(JSON.parse(stdout));
    expect(summary.conditions[0]).toMatchObject({ trials: 2, valid: 2, effects: { surplus: 2 } });
    expect(stderr).toContain("trial by trial:");
  });

  it("gives 3 when a trial is invalid, and counts it as that", async () => {
    const folder = await stored("invalid", [duplicateTrial(), invalidTrial({ trial: "run-1-t2" })]);
    const { code, stdout } = await kit("summary", folder);
    expect(stdout).toContain("invalid: point-not-reached ×1");
    expect(code).toBe(3);
  });

  it("turns away what is no run", async () => {
    const { code, stderr } = await kit("summary", join(dir, "nothing"));
    expect(stderr).toContain("there is no");
    expect(code).toBe(2);
  });
});

describe("compare", () => {
  it("gives 0 for two runs with the same answers", async () => {
    const [a, b] = [await stored("same-a", [duplicateTrial()]), await stored("same-b", [duplicateTrial()])];
    const { code, stdout } = await kit("compare", a, b);
    expect(stdout).toContain("The runs do not differ.");
    expect(code).toBe(0);
  });

  it("gives 0 for equal answers that are not the expected ones: that is not what was asked", async () => {
    const folder = await stored("unexpected", [duplicateTrial({ expect: HARMLESS })]);
    expect((await kit("judge", folder)).code).toBe(1);
    expect((await kit("compare", folder, folder)).code).toBe(0);
  });

  it("gives 1 and the difference when an answer differs", async () => {
    const condition = "opencode/one";
    const a = await stored("differs-a", [duplicateTrial({ condition })]);
    const b = await stored("differs-b", [harmlessTrial({ condition })]);
    const { code, stdout } = await kit("compare", a, b);
    expect(stdout).toContain("2/1 duplicate ×1");
    expect(stdout).toContain("new kind");
    expect(code).toBe(1);
    const json = await kit("compare", a, b, "--json");
    expect(Comparison.parse(JSON.parse(json.stdout)).conditions[0]?.kinds).toEqual([
      "rebinding",
      "continuity",
      "effects",
      "attribution",
    ]);
    expect(json.code).toBe(1);
  });

  it("gives 3 when one of them has an invalid trial, whether they differ or not", async () => {
    const a = await stored("sound", [duplicateTrial()]);
    const b = await stored("unsound", [duplicateTrial(), invalidTrial({ trial: "run-1-t2" })]);
    const { code, stderr } = await kit("compare", a, b);
    expect(stderr).toContain("invalid, missing or undecided");
    expect(code).toBe(3);
  });

  it("gives 2 when one of them is not there", async () => {
    const a = await stored("alone", [duplicateTrial()]);
    expect((await kit("compare", a, join(dir, "gone"))).code).toBe(2);
  });
});

describe("plan", () => {
  it.each([
    ["5%", 59],
    ["0.05", 59],
    ["1/20", 59],
    ["1%", 299],
    ["1/299", 895],
  ])("--rate %s needs %i trials", async (rate, trials) => {
    const { code, stdout } = await kit("plan", "--rate", rate, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ trials });
    expect(code).toBe(0);
  });

  it("says what so many trials without an event show", async () => {
    const { stdout } = await kit("plan", "--rate", "1%");
    expect(stdout.replace(/\s+/g, " ")).toContain("299 * 95.0% 1.00%");
  });

  it.each(["0", "120%", "five", "1/0", "-1", "5 percent", "1e-12%"])(
    "--rate %s is turned away",
    async (rate) => {
      const { code, stdout, stderr } = await kit("plan", `--rate=${rate}`);
      expect(stderr).toContain("Give a rate above 0");
      expect(stdout).toBe("");
      expect(code).toBe(2);
    },
  );
});
