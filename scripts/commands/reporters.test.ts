import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { reportOfRun } from "../present/reporters/report-of-run.ts";
import { EXIT } from "../stored/outcome.ts";
import { DUPLICATE, harmlessTrial, judgedRun } from "../stored/testing/stored-trials.ts";
import { askedReporters, replacesText, writeReports } from "./reporters.ts";
import type { Terminal } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "reporters-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("--reporter", () => {
  it("takes names and files by commas", () =>
    expect(askedReporters(`github,junit=${folder}/a=b.xml`)).toEqual([
      { name: "github", path: null },
      { name: "junit", path: `${folder}/a=b.xml` },
    ]));

  it.each([
    ["xunit", "no reporter 'xunit'"],
    ["toString", "no reporter 'toString'"],
    ["junit=", "'junit=' names no file"],
    ["json,markdown", "json and markdown cannot both"],
    ["junit=/no/such/folder/a.xml", "no folder '/no/such/folder'"],
  ])("'%s' is refused with what is wrong", (text, words) =>
    expect(() => askedReporters(text)).toThrow(words),
  );

  it("stands in place of the text where it goes to standard output, which --json cannot share", () => {
    expect(replacesText(askedReporters("github"), true)).toBe(false);
    expect(replacesText(askedReporters("junit"), false)).toBe(true);
    expect(() => replacesText(askedReporters("junit"), true)).toThrow("--json and --reporter junit");
  });

  it("writes files, annotations beside the text, and adds to the step summary", async () => {
    const run = judgedRun([harmlessTrial({ expect: DUPLICATE })]);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const terminal = { stdout, stderr, argv: [], exit: () => undefined } as unknown as Terminal;
    const summary = join(folder, "summary.md");
    const asked = askedReporters(`github,junit=${folder}/out.xml`);
    const reports = [reportOfRun(run, EXIT.differs)];
    await writeReports(asked, reports, terminal, summary);
    await writeReports(asked, reports, terminal, summary);
    expect(stdout.read()).toBeNull();
    expect(String(stderr.read())).toMatch(/^::error title=/);
    expect(readFileSync(join(folder, "out.xml"), "utf8")).toMatch(/^<\?xml/);
    expect(readFileSync(summary, "utf8").match(/## run-1/g)).toHaveLength(2);
  });
});
