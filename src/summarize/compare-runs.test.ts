import { describe, expect, it } from "vitest";
import { buildEnvironment } from "../reconcile/testing/trace-builder.ts";
import { compareRuns } from "./compare-runs.ts";
import { Comparison } from "./comparison.ts";
import { summarize } from "./summarize.ts";
import { duplicate, invalid, operations, runOf, type Trial } from "./testing/trials.ts";

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
      session: { a: { restored: 1 }, b: { lost: 1 } },
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
    expect(adjusted).toBeCloseTo(Math.min(1, 3 * p), 9);
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
