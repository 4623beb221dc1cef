import { describe, expect, it } from "vitest";
import { buildEnvironment } from "../reconcile/testing/trace-builder.ts";
import type { Verdict } from "../reconcile/verdict.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { compareRuns } from "./compare-runs.ts";
import { Comparison } from "./comparison.ts";
import { summarize } from "./summarize.ts";
import { duplicate, invalid, killedIn, operations, runOf, type Trial } from "./testing/trials.ts";

const summaryOf = (trials: readonly Trial[], run = "a") => summarize(runOf(trials, { run }));
const many = (count: number, duplicates: number) =>
  Array.from({ length: count }, (_, index) =>
    duplicate({
      spec: { trial: `t${index}` },
      verdict: { operations: index < duplicates ? operations(2, "duplicate") : operations(1, "ok") },
    }),
  );
const testOf = (comparison: Comparison, of: string) => {
  const found = comparison.conditions[0]?.tests.find((test) => test.of === of);
  if (found === undefined) throw new Error(`no test of ${of}`);
  return found;
};

describe("two runs", () => {
  it("do not differ from themselves", () => {
    const summary = summaryOf(many(10, 3));
    const comparison = compareRuns(summary, summary);
    expect(Comparison.parse(comparison)).toEqual(comparison);
    expect(comparison).toMatchObject({ differs: false, environment: [], only: { a: [], b: [] } });
    expect(testOf(comparison, "duplicates").p).toBeCloseTo(1, 9);
  });

  it("do not differ where counts merely vary, and show the counts", () => {
    const comparison = compareRuns(summaryOf(many(20, 9)), summaryOf(many(20, 11), "b"));
    expect(comparison.differs).toBe(false);
    expect(testOf(comparison, "duplicates")).toMatchObject({
      a: { events: 9, trials: 20 },
      b: { events: 11, trials: 20 },
      significant: false,
    });
  });

  it("differ where the counts cannot be chance", () => {
    const comparison = compareRuns(summaryOf(many(20, 2)), summaryOf(many(20, 18), "b"));
    expect(comparison.differs).toBe(true);
    expect(comparison.conditions[0]?.kinds).toEqual([]);
    expect(testOf(comparison, "duplicates").significant).toBe(true);
  });

  it("differ where one gives an answer that the other never gave, be it in one trial each", () => {
    const lost = duplicate({ verdict: { session: { value: "lost", code: "log-empty", evidence: [] } } });
    const comparison = compareRuns(summaryOf([duplicate()]), summaryOf([lost], "b"));
    expect(comparison.differs).toBe(true);
    expect(comparison.conditions[0]).toMatchObject({
      answers: { session: { a: { restored: 1 }, b: { lost: 1 } } },
      kinds: ["session"],
    });
    expect(comparison.conditions[0]?.tests.some(({ significant }) => significant)).toBe(false);
  });

  it("differ where only one has a valid trial of a condition", () => {
    const other = duplicate({ spec: { condition: "other" } });
    const broken = invalid({ spec: { condition: "broken" } });
    const whole = duplicate({ spec: { condition: "broken" } });
    expect(
      compareRuns(summaryOf([duplicate(), other, broken]), summaryOf([duplicate(), whole], "b")),
    ).toMatchObject({
      differs: true,
      only: { a: ["other"], b: ["broken"] },
    });
  });

  it("correct for the number of tests that could have shown anything, and for no others", () => {
    const conditions = ["c1", "c2", "c3"];
    const run = (duplicates: number, name: string) =>
      summaryOf(
        conditions.flatMap((condition) =>
          many(6, duplicates).map((trial) =>
            duplicate({ spec: { condition }, verdict: { operations: trial.verdict.operations } }),
          ),
        ),
        name,
      );
    const comparison = compareRuns(run(1, "a"), run(5, "b"));
    // Everybody restored, resumed, completed, nobody lost or left open: one test of each condition is left.
    expect(comparison.tests.family).toBe(3);
    const { p, adjusted } = testOf(comparison, "duplicates");
    expect(adjusted).toBeCloseTo(Math.min(1, 3 * (p ?? 1)), 9);
    expect(testOf(comparison, "lost")).toMatchObject({ adjusted: null, significant: false });
  });

  it("name first what they ran on, where it differs", () => {
    const on = (agents: string, startedAt: string): Trial => ({
      ...duplicate(),
      environment: buildEnvironment({ packages: { agents }, startedAt, compatibilityFlags: ["x", "y"] }),
    });
    const [a, b] = [on("0.32.0", "2026-11-17T00:00:00Z"), on("0.33.0", "2026-11-18T00:00:00Z")];
    const comparison = compareRuns(summaryOf([a]), summaryOf([b], "b"));
    expect(comparison.environment).toEqual([{ what: "packages.agents", a: "0.32.0", b: "0.33.0" }]);
    expect(comparison.differs).toBe(false);
  });

  it("name what only one of them has", () => {
    const bare: Trial = { ...duplicate(), environment: null };
    const comparison = compareRuns(summaryOf([bare]), summaryOf([duplicate()], "b"));
    expect(comparison.environment).toContainEqual({ what: "packages.agents", a: null, b: "0.32.0" });
  });
});

describe("every axis, setting and time", () => {
  const compared = (verdict: Partial<Verdict>, factors: Partial<TrialSpec["factors"]> = {}) =>
    compareRuns(summaryOf([duplicate()]), summaryOf([duplicate({ verdict, factors })], "b"));
  const base = duplicate().verdict;

  it.each([
    ["repeats", { repeats: [{ attempt: 2, cause: "runtime-replay", evidence: [1] }] }],
    ["executor", { executor: { ...base.executor, value: "same" } }],
    ["response", { response: { ...base.response, value: "none", code: "failed" } }],
    ["told", { told: { ...base.told, value: "outcome-unknown" } }],
    ["woke", { autonomous: { ...base.autonomous, value: "no", code: "never-woke" } }],
    ["stuck", { stuck: { ...base.stuck, value: "yes", code: "nothing-scheduled" } }],
    ["rebinding", { rebinding: { ...base.rebinding, result: "none" } }],
    ["callMismatches", { callMismatches: [] }],
    ["attribution", { attribution: { value: "model", code: "repeat-asked-for", evidence: [1] } }],
  ] as const)("a difference in %s is named, and is one", (key, verdict) => {
    const comparison = compared(verdict as Partial<Verdict>);
    expect(comparison.differs).toBe(true);
    expect(comparison.conditions[0]?.kinds).toContain(key);
  });

  it("a generation more, from an eviction of the idle object, is none", () =>
    expect(compared({ rebinding: { ...base.rebinding, generationAfter: 3 } }).differs).toBe(false));

  it("other settings are named and are no difference of results", () => {
    const comparison = compared({}, { quietMs: 5 });
    expect(comparison.conditions[0]?.settings).toEqual([{ what: "quietMs", a: "40000", b: "5" }]);
    expect(comparison.differs).toBe(false);
  });

  it("a time that lies apart is a difference; one that merely varies is none", () => {
    const woke = (ms: number) => compared({ timings: { ...base.timings, resetToActivationMs: ms } });
    const times = (comparison: Comparison) =>
      comparison.conditions[0]?.times.filter(({ differs }) => differs).map(({ of }) => of);
    expect(times(woke(60_000))).toEqual(["resetToActivationMs"]);
    expect(woke(60_000).differs).toBe(true);
    expect(woke(900).differs).toBe(false);
  });

  it("trials of one act give no p-value, and say why", () => {
    const killed = (cluster: string, flag: "ok" | "duplicate") =>
      Array.from({ length: 20 }, (_, index) =>
        duplicate({
          spec: { trial: `t${index}` },
          verdict: { resets: killedIn(cluster), operations: operations(flag === "ok" ? 1 : 2, flag) },
        }),
      );
    const comparison = compareRuns(summaryOf(killed("k1", "ok")), summaryOf(killed("k2", "duplicate"), "b"));
    expect(comparison.conditions[0]).toMatchObject({ valid: { a: 20, b: 20 }, acts: { a: 1, b: 1 } });
    expect(testOf(comparison, "duplicates")).toMatchObject({ p: null, significant: false });
    expect(testOf(comparison, "duplicates").withheld).toMatch(/20 trials of 1 act/);
  });

  it("conditions of one run alone may be left out", () => {
    const more = summaryOf([duplicate(), duplicate({ spec: { condition: "other" } })], "b");
    expect(compareRuns(summaryOf([duplicate()]), more).differs).toBe(true);
    expect(compareRuns(summaryOf([duplicate()]), more, { commonOnly: true })).toMatchObject({
      differs: false,
      commonOnly: true,
      only: { a: [], b: ["other"] },
    });
  });

  it("carry host and caveat", () => {
    const host = { kind: "stand-in", name: "opencode-stand-in", version: "0" } as const;
    const summary = summarize(runOf([duplicate()], { host }));
    const comparison = compareRuns(summary, summary);
    expect(comparison.hosts.a).toEqual(host);
    expect(comparison.caveats.b).toContain("not a measurement of OpenCode");
  });
});

describe("a condition", () => {
  it("counts an operation that ended by rule apart from one that was completed", () => {
    const ended = duplicate({
      verdict: { executor: { ...duplicate().verdict.executor, code: "ended-unanswered" } },
    });
    const [condition] = summaryOf([duplicate(), ended]).conditions;
    expect(condition?.completions).toMatchObject({ events: 1, trials: 2 });
    expect(condition?.unanswered).toMatchObject({ events: 1, trials: 2 });
  });
});
