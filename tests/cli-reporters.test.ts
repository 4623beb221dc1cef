/** `--reporter` as a workflow meets it: real processes over stored traces. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Report } from "../scripts/present/reporters/report.ts";
import {
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  storeRun,
} from "../scripts/stored/testing/stored-trials.ts";
import { kit } from "./support/kit.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-reporters-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const CONDITIONS = ["look-up", "reissue", "give-up"].map(
  (policy) => `opencode/after-commit/kill/unique/${policy}`,
);
const [, REGRESSED = ""] = CONDITIONS;

/** A run of three conditions, one of which may have begun to duplicate. */
async function release(run: string, isRegressed: boolean): Promise<string> {
  const folder = join(dir, run);
  const trials = CONDITIONS.map((condition, index) => {
    const trial = isRegressed && condition === REGRESSED ? duplicateTrial : harmlessTrial;
    return trial({ condition, run, trial: `${run}-t${index + 1}` });
  });
  await storeRun(folder, trials);
  return folder;
}

/** What each output says of a comparison, cut out of it by its own form. */
async function compared(baseline: string, run: string) {
  const [xml, md] = [join(dir, "out.xml"), join(dir, "out.md")];
  const reporter = `github,junit=${xml},markdown=${md}`;
  const { code, stdout, stderr } = await kit("compare", baseline, run, "--reporter", reporter);
  const [junit, markdown] = await Promise.all([readFile(xml, "utf8"), readFile(md, "utf8")]);
  const block = /^Against the baseline, run a\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? "";
  const words = (text: string) => text.replaceAll("&#39;", "'").replaceAll(/\s+/g, " ").trim();
  return {
    code,
    stdout,
    stderr,
    junit,
    markdown,
    terminal: words(block)
      .split(`${REGRESSED}: `)
      .slice(1)
      .map((sentence) => sentence.trim())
      .join("; "),
    failures: [...junit.matchAll(/<testcase [^>]*name="([^"]*)">\s*<failure message="([^"]*)">/g)].map(
      ([, name = "", message = ""]) => [name, words(message)],
    ),
    rows: [...markdown.matchAll(/^\| failure \| ([^|]*) \| ([^|]*) \|/gm)].map(([, name = "", what = ""]) => [
      name,
      words(what),
    ]),
    annotations: [...stderr.matchAll(/^::error title=([^:]*)::(.*?)%0A/gm)].map(
      ([, name = "", what = ""]) => [name, words(what)],
    ),
  };
}

it("one regression against a baseline is red in the terminal, JUnit, Markdown and annotations, in the same words", async () => {
  const one = await compared(await release("last", false), await release("next", true));
  expect(one.code).toBe(1);
  expect(one.terminal).toContain("effects/intended: '2/1 duplicate' ×1, an answer the baseline never gave");
  const red = [[REGRESSED, one.terminal]];
  expect(one.failures).toEqual(red);
  expect(one.rows).toEqual(red);
  expect(one.annotations).toEqual(red);
  expect(one.junit).toContain('tests="3" failures="1" errors="0"');
  expect(one.markdown).toContain("1 of 3 conditions differ from the baseline.");
  expect(one.markdown).toContain("2 pass, 1 differ, 0 decide nothing.");
  expect(one.stdout).toContain("The runs differ: in 1 of 3 common conditions");
});

it("a run without a regression is green in all of them", async () => {
  const one = await compared(await release("before", false), await release("after", false));
  expect(one.code).toBe(0);
  expect([one.terminal, one.failures, one.rows, one.annotations]).toEqual(["", [], [], []]);
  expect(one.junit).toContain('tests="3" failures="0" errors="0"');
  expect(one.junit).not.toMatch(/<(failure|error)\b/);
  expect(one.markdown).toContain("No condition differs from the baseline.");
  expect(one.stdout).toContain("The runs do not differ.");
  expect(one.stderr).not.toContain("::");
});

it("a trial that is not as its condition expects is red in all of them, in the same words", async () => {
  const folder = join(dir, "unexpected");
  await storeRun(folder, [
    harmlessTrial({ run: "unexpected", trial: "unexpected-t1" }),
    duplicateTrial({ run: "unexpected", trial: "unexpected-t2", condition: REGRESSED, expect: HARMLESS }),
  ]);
  const [xml, md] = [join(dir, "unexpected.xml"), join(dir, "unexpected.md")];
  const asked = `github,junit=${xml},markdown=${md}`;
  const { code, stdout, stderr } = await kit("judge", folder, "--reporter", asked);
  expect(code).toBe(1);
  const outputs = [stdout, stderr, await readFile(xml, "utf8"), await readFile(md, "utf8")];
  for (const text of outputs) {
    expect(text).toContain(REGRESSED);
    expect(text).toContain("effects: expected 1, found 2");
    expect(text).toContain("flags: expected ok, found duplicate");
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
