import { describe, expect, it } from "vitest";
import { STAND_IN_CAVEAT } from "../../../src/summarize/caveat.ts";
import { compareRuns, summarize } from "../../../src/summarize/index.ts";
import { EXIT, exitCodeOf } from "../../stored/outcome.ts";
import {
  DUPLICATE,
  duplicateTrial,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../../stored/testing/stored-trials.ts";
import { renderComparison } from "../comparison-text.ts";
import { REPORTERS } from "./index.ts";
import { xmlText } from "./junit-reporter.ts";
import { Report } from "./report.ts";
import { reportOfComparison } from "./report-of-comparison.ts";
import { reportOfRun } from "./report-of-run.ts";

const condition = "opencode/after-commit/kill/unique/reissue";
const missed = { trial: "run-1-t5", condition: "opencode/none/none/append/reissue", canary: false };
const run = judgedRun(
  [
    duplicateTrial({ trial: "run-1-t1" }),
    harmlessTrial({ trial: "run-1-t2", expect: DUPLICATE }),
    invalidTrial({ trial: "run-1-t3" }),
    undecidedTrial({ trial: "run-1-t4" }),
  ],
  { missing: [missed] },
);
const report = reportOfRun(run, exitCodeOf(run));

const baseline = judgedRun([harmlessTrial({ condition })]);
const later = judgedRun([duplicateTrial({ condition, run: "run-2" })], {
  run: "run-2",
  folder: "traces/run-2",
});
const comparison = compareRuns(summarize(baseline), summarize(later));
const regression = reportOfComparison(comparison, later, { exitCode: EXIT.differs, problems: [] });

describe("a run's report", () => {
  it("has a row for each planned trial: red where it differs, an error where it decides nothing", () => {
    expect(report.rows.map(({ status }) => status)).toEqual(["pass", "failure", "error", "error", "error"]);
    expect(Report.parse(report)).toEqual(report);
  });

  it("says of each red row what was expected, what was found and where it lies", () => {
    expect(report.rows[1]).toMatchObject({
      condition,
      sentence: expect.stringContaining("effects: expected 2, found 1"),
      expectation: "attempts=2, effects=2, flags=duplicate",
      observation: "attempts=2, effects=1, flags=ok",
      trace: "traces/run-1/run-1-t2.jsonl",
    });
    expect(report.rows.filter(({ status, sentence }) => status !== "pass" && sentence === "")).toEqual([]);
  });

  it("carries the caveat of its host, and a canary that was not convicted as a problem", () => {
    expect(report.caveats).toEqual([STAND_IN_CAVEAT]);
    const acquitted = judgedRun([harmlessTrial({ canary: true, expect: DUPLICATE })]);
    expect(reportOfRun(acquitted, EXIT.undecided).problems.join()).toContain("was not convicted");
  });
});

describe("JUnit", () => {
  it("counts what it shows", () => {
    const text = REPORTERS.junit.render([report]);
    expect(text).toContain('tests="5" failures="1" errors="3"');
    expect(text.match(/<testcase/g)).toHaveLength(5);
    expect(text.match(/<failure/g)).toHaveLength(1);
    expect(text.match(/<error/g)).toHaveLength(3);
    expect(text).toContain(
      '<testcase classname="recovery" name="opencode/after-commit/kill/unique/reissue #',
    );
  });

  it("has no character that XML forbids and no mark-up of somebody else's", () => {
    const text = xmlText("a<b>&\"'\u0001\u001b[31m\ud800\ufffe]]>");
    expect(text).not.toMatch(/[<>"'\p{Cc}\p{Cs}\ufffe]/u);
    expect(text.replace(/&#\d+;/g, "")).not.toContain("&");
  });
});

describe("Markdown", () => {
  it("shows red rows before the counts, and lets no text make a cell or a link", () => {
    const odd = { ...report, rows: report.rows.map((row) => ({ ...row, sentence: "a|b [x](y)\n<i>" })) };
    const lines = REPORTERS.markdown.render([odd]).split("\n");
    const rows = lines.filter((line) => /^\| (failure|error)/.test(line));
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/^\| failure/);
    expect(rows.map((row) => row.split("|").length)).toEqual([8, 8, 8, 8]);
    expect(lines.indexOf(rows[3] ?? "")).toBeLessThan(
      lines.findIndex((line) => line.startsWith("1 pass, 1 differ")),
    );
    expect(rows.join()).not.toMatch(/\[x\]|<i>/);
  });
});

describe("annotations", () => {
  it("are one line for each red row, escaped by GitHub's rules", () => {
    const [first] = report.rows.filter(({ status }) => status === "failure");
    const odd = { ...report, rows: [{ ...first!, condition: "a:b,c%", sentence: "one\ntwo: 100%" }] };
    const text = REPORTERS.github.render([odd]);
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toMatch(/^::error title=a%3Ab%2Cc%25 #\d+::one%0Atwo: 100%25%0Aexpected: /);
    expect(REPORTERS.github.render([report]).trimEnd().split("\n")).toHaveLength(4);
  });
});

describe("a regression against a baseline", () => {
  const sentence = "'2/1 duplicate' ×1, an answer the baseline never gave";

  it("is red, and named in the same words everywhere", () => {
    expect(regression.rows).toMatchObject([{ condition, status: "failure" }]);
    expect(REPORTERS.junit.render([regression])).toContain(xmlText(sentence));
    expect(REPORTERS.junit.render([regression])).toContain('failures="1"');
    expect(REPORTERS.github.render([regression])).toContain(sentence);
    expect(REPORTERS.markdown.render([regression])).toContain("an answer the baseline never gave");
    expect(renderComparison(comparison).replace(/\s+/g, " ")).toContain(sentence);
  });

  it("is none between a run and itself", () => {
    const same = compareRuns(summarize(baseline), summarize(baseline));
    const quiet = reportOfComparison(same, baseline, { exitCode: EXIT.asExpected, problems: [] });
    expect(quiet.rows.map(({ status }) => status)).toEqual(["pass"]);
    expect(REPORTERS.github.render([quiet])).toBe("");
  });
});
