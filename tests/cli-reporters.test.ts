/** `--reporter` as a workflow meets it: real processes over stored traces. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Report } from "../scripts/present/reporters/report.ts";
import { duplicateTrial, harmlessTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { kit } from "./support/kit.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-reporters-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it("a regression against a baseline is red in the terminal, JUnit, Markdown and annotations alike", async () => {
  const condition = "opencode/after-commit/kill/unique/reissue";
  const [last, next] = [join(dir, "last"), join(dir, "next")];
  await storeRun(last, [harmlessTrial({ condition, run: "last" })]);
  await storeRun(next, [duplicateTrial({ condition, run: "next" })]);
  const [xml, md] = [join(dir, "out.xml"), join(dir, "out.md")];
  const asked = `github,junit=${xml},markdown=${md}`;
  const { code, stdout, stderr } = await kit("compare", last, next, "--reporter", asked);
  expect(code).toBe(1);
  const words = "×1, an answer the baseline never gave";
  expect(stdout.replace(/\s+/g, " ")).toContain(`'2/1 duplicate' ${words}`);
  expect(stderr).toMatch(new RegExp(`^::error title=${condition}::.*'2/1 duplicate' ${words}`, "m"));
  for (const path of [xml, md]) {
    const text = await readFile(path, "utf8");
    expect(text).toContain(words);
    expect(text).toContain(condition);
  }
});

it("JSON takes the place of the text and parses by its schema", async () => {
  const folder = join(dir, "one");
  await storeRun(folder, [duplicateTrial({ run: "one" })]);
  const { code, stdout } = await kit("judge", folder, "--reporter", "json");
  expect(Report.parse(JSON.parse(stdout))).toMatchObject({
    name: "one",
    exitCode: 0,
    rows: [{ status: "pass" }],
  });
  expect(code).toBe(0);
});
