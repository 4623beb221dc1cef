import { describe, expect, it } from "vitest";
import { compareHosts, isSound } from "./compare-hosts.ts";
import { renderComparison } from "./contract-table.ts";
import type { Result, SuiteRun } from "./suite.ts";
import type { Question } from "./uncertain-choices.ts";

const never = () => Promise.reject(new Error("not run here"));

function result(name: string, outcome: Result["outcome"], answers?: Question): Result {
  const rule = { name, section: "1", run: never, ...(answers === undefined ? {} : { answers }) };
  return { group: "some", rule, outcome, reason: outcome === "fails" ? `${name} failed` : null };
}

const run = (results: Result[], observations: SuiteRun["observations"] = []): SuiteRun => ({
  results,
  observations,
});
const agreements = (own: SuiteRun, other: SuiteRun | null) =>
  compareHosts(own, other).rules.map(({ rule, agreement }) => [rule, agreement]);

describe("two hosts under the same rules", () => {
  it("agree, differ, or were not both put through a rule", () => {
    const own = run([result("a", "holds"), result("b", "holds"), result("c", "holds")]);
    const other = run([result("a", "holds"), result("b", "fails"), result("c", "not run")]);
    expect(agreements(own, other)).toEqual([
      ["a", "agree"],
      ["b", "differ"],
      ["c", "not run"],
    ]);
    expect(isSound(compareHosts(own, other))).toBe(false);
  });

  it("are good together when nothing fails, whatever was not run", () => {
    const own = run([result("a", "holds"), result("c", "holds")]);
    const other = run([result("a", "holds"), result("c", "not run")]);
    expect(isSound(compareHosts(own, other))).toBe(true);
  });

  it("are no good when both fail, although they agree", () => {
    const both = run([result("a", "fails")]);
    expect(agreements(both, both)).toEqual([["a", "agree"]]);
    expect(isSound(compareHosts(both, both))).toBe(false);
  });
});

describe("one host alone", () => {
  it("has nothing to agree with, and must hold", () => {
    expect(agreements(run([result("a", "holds")]), null)).toEqual([["a", "alone"]]);
    expect(isSound(compareHosts(run([result("a", "fails")]), null))).toBe(false);
  });
});

describe("what is uncertain", () => {
  const question = "limit of a page";
  const seen = (observed: string) => [{ question, observed, detail: null }] as const;
  const rowOf = (own: SuiteRun, other: SuiteRun) =>
    compareHosts(own, other).uncertain.find((row) => row.question === question);

  it("is reported side by side and decides nothing", () => {
    const own = run([result("pages", "holds", question)], seen("200"));
    const other = run([result("pages", "holds", question)], seen("100"));
    expect(rowOf(own, other)).toMatchObject({ standIn: "200", sdk: "100" });
    expect(compareHosts(own, other).rules).toEqual([]);
  });

  it("decides nothing either where the real package cannot be observed", () => {
    const own = run([result("pages", "holds", question)], seen("200"));
    const other = run([result("pages", "fails", question)]);
    expect(rowOf(own, other)).toMatchObject({
      sdk: "not observed",
      details: { sdk: "pages failed" },
    });
    expect(isSound(compareHosts(own, other))).toBe(true);
  });

  it("is a rule for the stand-in, whose choices are documented", () => {
    const own = run([result("pages", "fails", question)]);
    expect(agreements(own, null)).toEqual([["pages", "alone"]]);
    expect(isSound(compareHosts(own, null))).toBe(false);
  });
});

describe("the table", () => {
  it("keeps to 100 columns and says why a rule fails", () => {
    const long =
      "a rule with a name that is longer than any column of a table can be, so that it has to be wrapped";
    const text = renderComparison(compareHosts(run([result(long, "holds")]), run([result(long, "fails")])));
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toContain("differ");
    expect(text.replaceAll(/\s+/g, " ")).toContain(`sdk: ${long} failed`);
  });
});
