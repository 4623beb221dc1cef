import { describe, expect, it } from "vitest";
import type { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import {
  duplicateTrial,
  harmlessTrial,
  invalidTrial,
  judgedRun,
  undecidedTrial,
} from "../stored/testing/stored-trials.ts";
import { makeReport } from "./make-report.ts";

const KILL = "opencode/after-commit/kill/unique/reissue";
const ABORT = "opencode/after-commit/abort/append/reissue";

function reportOf(builders: readonly TraceBuilder[], fields: Partial<JudgedRun> = {}) {
  return compared([[builders, fields]]);
}

function compared(runs: readonly (readonly [readonly TraceBuilder[], Partial<JudgedRun>])[]) {
  const traces = new Map(
    runs.flatMap(([builders]) =>
      builders.map((one): [string, ParsedTrace] => [
        `traces/${one.spec.run}/${one.spec.trial}.jsonl`,
        one.toParsed(),
      ]),
    ),
  );
  const traceAt = (path: string) => {
    const parsed = traces.get(path);
    if (parsed === undefined) throw new Error(`no trace at ${path}`);
    return parsed;
  };
  return makeReport(
    runs.map(([builders, fields]) => judgedRun(builders, fields)),
    { traceAt, declaredOf: () => [], knownOf: () => [] },
  );
}

describe("the data of a report", () => {
  it("puts conditions with the same answers together, however many trials each has", () => {
    const [run] = reportOf([
      duplicateTrial({ trial: "t-1" }),
      duplicateTrial({ trial: "t-2", repeat: 2 }),
      duplicateTrial({ trial: "t-3", condition: `${ABORT}/key=none` }),
      harmlessTrial({ trial: "t-4" }),
    ]).runs;
    expect(run?.groups.map(({ conditions, trials }) => [conditions, trials])).toEqual([
      [[ABORT, `${ABORT}/key=none`], 3],
      [[KILL], 1],
    ]);
    const effects = run?.columns.indexOf("effects") ?? -1;
    expect(run?.groups.map(({ answers }) => answers[effects])).toEqual([["2/1"], ["1/1"]]);
    expect(run?.found.join(" ")).toContain("3 conditions gave 2 distinct sets of answers.");
  });

  it("keeps canaries out of what was found, and says that they were convicted", () => {
    const [run] = reportOf([
      harmlessTrial({ trial: "t-1" }),
      duplicateTrial({ trial: "t-2", condition: "canary-replay/x", canary: true }),
    ]).runs;
    expect(run?.groups.flatMap(({ conditions }) => conditions)).toEqual([KILL]);
    expect(run?.canaryGroups.flatMap(({ conditions }) => conditions)).toEqual(["canary-replay/x"]);
    expect(run?.found.join(" ")).toContain("0 made a duplicate");
    expect(run?.found.join(" ")).toContain("The canary was convicted.");
  });

  it("says of a run whose canary was not convicted that nothing in it is to be believed", () => {
    const canary = harmlessTrial({
      trial: "t-2",
      condition: "canary-replay/x",
      canary: true,
      expect: { effects: 2 },
    });
    const [run] = reportOf([duplicateTrial({ trial: "t-1" }), canary]).runs;
    expect(run?.found.at(-1)).toBe("Not convicted: canary-replay/x. Nothing in this run is to be believed.");
    expect(run?.trials.find(({ trial }) => trial === "t-2")).toMatchObject({ tone: "bad" });
  });

  it("names invalid trials with the reason, and what is undecided, and leaves the invalid out of the answers", () => {
    const [run] = reportOf([
      duplicateTrial({ trial: "t-1" }),
      invalidTrial({ trial: "t-2" }),
      undecidedTrial({ trial: "t-3", condition: `${ABORT}/key=none` }),
    ]).runs;
    const notice = (title: string) => run?.notices.find((one) => one.title === title)?.entries;
    expect(notice("Invalid trials, and why")).toMatchObject([{ anchors: ["t-2"] }]);
    expect(notice("Invalid trials, and why")?.[0]?.words.join(" ")).toMatch(/point/);
    expect(notice("Undecided, or not as expected")).toMatchObject([{ anchors: ["t-3"] }]);
    expect(run?.groups).toMatchObject([
      { conditions: [ABORT, `${ABORT}/key=none`], trials: 2, tone: "open" },
    ]);
    expect(run?.conditions.find(({ condition }) => condition === ABORT)).toMatchObject({
      trials: 2,
      valid: 1,
      remark: "1/2 valid, point-not-reached, trials t-1 t-2",
    });
  });

  it("counts session, execution and effects apart, with interval and acts", () => {
    const several = Array.from({ length: 4 }, (_, index) =>
      duplicateTrial({ trial: `t-${index + 1}`, repeat: index + 1 }),
    );
    const [run] = reportOf(several).runs;
    expect(run?.conditions[0]).toMatchObject({
      resets: 4,
      acts: 4,
      session: { answers: [{ words: "restored", trials: 4 }] },
      execution: { answers: [{ words: "resumed", trials: 4 }] },
      effects: { answers: [{ words: "2/1 duplicate", trials: 4 }] },
    });
    // The exact bound of 4 out of 4 is 0.05^(1/4) = 47.287 %.
    expect(run?.conditions[0]?.session.rates).toEqual([{ of: "restored", lines: ["4/4", "≥ 47.2%"] }]);
  });

  it("leads to every record of every trial, and gives two trials of one id anchors of their own", () => {
    const report = compared([
      [[duplicateTrial({ trial: "t-1" })], { run: "run-1" }],
      [[harmlessTrial({ trial: "t-1", run: "run-2" })], { run: "run-2" }],
    ]);
    expect(report.runs.map(({ trials }) => trials.map(({ anchor }) => anchor))).toEqual([["t-1"], ["t-1~2"]]);
    for (const { trials } of report.runs)
      for (const { entries, answers } of trials) {
        const seqs = new Set(entries.map(({ seq }) => seq));
        for (const { evidence } of answers) for (const seq of evidence) expect(seqs).toContain(seq);
      }
  });

  it("compares two runs: what only one has, and what differs", () => {
    const { comparison } = compared([
      [[duplicateTrial({ trial: "t-1" }), harmlessTrial({ trial: "t-2" })], { run: "run-1" }],
      [[harmlessTrial({ trial: "t-3", run: "run-2", condition: ABORT })], { run: "run-2" }],
    ]);
    expect(comparison?.differs).toBe(true);
    expect(comparison?.sentences[0]).toContain("The runs differ: in 1 of 1 common conditions");
    expect(comparison?.only).toEqual({ a: [KILL], b: [] });
    const rows = comparison?.conditions[0]?.rows ?? [];
    expect(rows.find(({ what }) => what === "effects/intended")).toEqual({
      what: "effects/intended",
      a: ["2/1 duplicate ×1"],
      b: ["1/1 ok ×1"],
      note: "new kind of answer",
    });
  });

  it("shows controls and marks of direction in what a trace says as escapes", () => {
    const [run] = reportOf([duplicateTrial({ trial: "t-1", condition: "a\u202eb\u0007" })]).runs;
    expect(run?.conditions.map(({ condition }) => condition)).toEqual(["a\\u202eb\\u0007"]);
  });

  it("is made of a run without a trace, too", () => {
    const missing = [{ trial: "t-9", condition: KILL, canary: false }];
    const [run] = reportOf([], { missing }).runs;
    expect(run?.found.join(" ")).toContain("No condition has a valid trial, so nothing was found.");
    expect(run?.notices).toMatchObject([{ title: "Planned trials without a trace" }]);
  });
});
