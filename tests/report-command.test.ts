/** What `report` writes and says, over stored traces. What its page does is tested in `tests/browser`. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duplicateTrial, invalidTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { ReportModel } from "../src/report/report-model.ts";
import { kit } from "./support/in-process.ts";

let dir: string;
let folder: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-report-command-"));
  folder = join(dir, "run-1");
  await storeRun(folder, [duplicateTrial({ trial: "run-1-t1" }), invalidTrial({ trial: "run-1-t2" })]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("report", () => {
  it("writes one file with the data in it, nothing into the run's folder, and gives the run's exit code", async () => {
    const before = await readdir(folder);
    const file = join(dir, "one.html");
    const { code, stdout, stderr } = await kit("report", folder, "--out", file);
    expect(stdout).toContain("run-1: 2 trials, 1 valid, 1 as expected, 0 differ, 1 invalid.");
    expect(stderr).toBe("");
    expect(code).toBe(3);
    expect(await readdir(folder)).toEqual(before);
    const [run] = (await modelIn(file)).runs;
    expect(run?.trials.map(({ trial }) => trial)).toEqual(["run-1-t1", "run-1-t2"]);
    expect(run?.upgrade).toBeNull();
    expect(await readFile(file, "utf8")).toContain("default-src 'none'");
  });

  it("has of an upgrade what 'upgrade' itself says of it", async () => {
    const pair = "opencode-server-1.15.13_opencode-server-1.18.33";
    const file = join(dir, "upgrade.html");
    const { stdout } = await kit("report", `traces/golden/upgrade_${pair}/taken`, "--out", file);
    expect(stdout).toContain("There is no way back: the old code cannot read what the new code left.");
    const upgrade = (await modelIn(file)).runs[0]?.upgrade;
    expect(stdout).toContain(upgrade?.advice);
    const [, , back] = upgrade?.parts ?? [];
    expect(back?.conditions.map(({ condition, differs }) => [condition, differs])).toEqual([
      ["opencode-server/after-commit/kill/append/reissue", true],
    ]);
    expect(back?.conditions[0]?.sentences.join(" ")).toContain("known: 1.15.13 knows its own list");
  });

  it("finds a run by its id where the folders of runs lie", async () => {
    const file = join(dir, "by-id.html");
    const { stdout } = await kit("report", "run-1", "--traces", dir, "--out", file);
    expect(stdout).toContain("Report: ");
  });

  it("replaces a report, and leaves any other file as it was", async () => {
    const file = join(dir, "replaced.html");
    await kit("report", folder, "--out", file);
    const first = await readFile(file, "utf8");
    await writeFile(file, first.replace("</title>", " of before</title>"));
    await kit("report", folder, "--out", file);
    expect(await readFile(file, "utf8")).toBe(first);
    const letter = join(dir, "letter.html");
    await writeFile(letter, "<p>Dear reader</p>");
    const refused = await kit("report", folder, "--out", letter);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`'${letter}' is there and is no report: it stays as it is`);
    expect(await readFile(letter, "utf8")).toBe("<p>Dear reader</p>");
  });

  it("says what is wrong with a run or a place in one sentence", async () => {
    const unknown = await kit("report", "no-such-run", "--traces", dir);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("there is no 'no-such-run', and no run or trial of that name"),
    ]);
    const into = await kit("report", folder, "--out", dir);
    expect([into.code, into.stderr]).toEqual([2, expect.stringContaining(`'${dir}' is a folder`)]);
    const nowhere = await kit("report", folder, "--out", join(dir, "missing", "one.html"));
    expect(nowhere.code).toBe(4);
    expect(nowhere.stderr).toMatch(/^recovery-kit: cannot .*missing.*\n$/);
  });

  it("writes an index over the runs of a folder, with a page for each beside it", async () => {
    const [traces, out] = [join(dir, "indexed"), join(dir, "pages")];
    await storeRun(join(traces, "a"), [duplicateTrial({ run: "a" })]);
    await storeRun(join(traces, "b"), [invalidTrial({ run: "b" })]);
    const { code, stdout } = await kit("report", "--index", out, "--traces", traces);
    expect(stdout).toContain("a: 1 trial, 1 valid");
    expect(code).toBe(3);
    expect((await readdir(out)).toSorted()).toEqual(["a.html", "b.html", "index.html"]);
    const html = await readFile(join(out, "index.html"), "utf8");
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(["a.html", "b.html"]);
    expect(html).toContain("default-src 'none'");
    // It is a report of the kit's, and may be written again.
    expect((await kit("report", "--index", out, "--traces", traces)).code).toBe(3);
  });

  it.each([
    [["report"], "name a run, or ask for --index"],
    [["report", "run-1", "--index", "x"], "name no run beside it"],
    [["report", "--index", "x", "--traces", "/nowhere"], "there are no runs in"],
  ])("refuses %j", async (args, words) => {
    const { code, stderr } = await kit(...args);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});

/** The data of a page. */
async function modelIn(file: string): Promise<ReportModel> {
  const html = await readFile(file, "utf8");
  const data = /<script type="application\/json" id="report">([^<]*)<\/script>/.exec(html)?.[1] ?? "";
  return ReportModel.parse(JSON.parse(data));
}
