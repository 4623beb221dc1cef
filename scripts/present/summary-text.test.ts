import { describe, expect, it } from "vitest";
import { compareRuns, summarize } from "../../src/summarize/index.ts";
import {
  duplicate,
  harmless,
  invalid,
  killedIn,
  runOf,
  type Trial,
} from "../../src/summarize/testing/trials.ts";
import { renderComparison } from "./comparison-text.ts";
import { PLAIN_PAGE } from "./page.ts";
import { renderSummary } from "./summary-text.ts";

const textOf = (trials: readonly Trial[]) => renderSummary(summarize(runOf(trials)));
const many = (count: number, make: (index: number) => Trial) =>
  Array.from({ length: count }, (_, i) => make(i));
const squeezed = (text: string) => text.replace(/\s+/g, " ");

describe("a summary as text", () => {
  it("keeps the three answers in three columns, each with its bound", () => {
    const lines = textOf(
      many(299, (index) => duplicate({ spec: { trial: `t${index}`, resetDelayMs: index } })),
    ).split("\n");
    const at = lines.indexOf("after-commit/abort/append/reissue");
    expect(squeezed(lines.slice(at - 3, at - 1).join(" "))).toBe(
      " valid/ resets sessions executions attempts effects/ duplicates lost unresolved completed " +
        "trials (acts) restored resumed intended",
    );
    expect(squeezed(lines.slice(at + 1, at + 3).join(" "))).toBe(
      " 299/299 299 299/299 299/299 598 598/299 299/299 0/299 0/299 299/299 " +
        "(299) ≥99.0% ≥99.0% ≥99.0% ≤1.00% ≤1.00% ≥99.0%",
    );
  });

  it("says what varied, and that scripted trials are near copies", () => {
    const text = squeezed(
      textOf(many(3, (index) => duplicate({ spec: { trial: `t${index}`, resetDelayMs: 10 * index } }))),
    );
    expect(text).toContain("the delay before the reset (0–20 ms, 3 values)");
    expect(text).toContain("drawn from seed 1");
    expect(text).toContain("near copies of each other");
    expect(text).toContain("3 trials are not 3 independent histories");
  });

  it("puts acts beside trials where one act took away several", () => {
    const text = squeezed(
      textOf(
        many(4, (index) =>
          harmless({ spec: { trial: `t${index}` }, verdict: { resets: killedIn(index < 3 ? "k1" : "k2") } }),
        ),
      ),
    );
    expect(text).toContain("4 resets by 2 acts");
    expect(text).toContain("4 resets came of 2 acts");
    expect(text).toContain("(2)");
  });

  it("names why trials are invalid and shows no rate for a condition that has none", () => {
    const text = squeezed(textOf([invalid()]));
    expect(text).toContain("0/1 – – – 0 0/0 – – – –");
    expect(text).toContain("invalid: canary-silent ×1, recorder-gap ×1");
  });

  it("shows the censored beside the quantiles", () => {
    const never = duplicate({
      spec: { trial: "t2" },
      verdict: {
        timings: {
          resetToActivationMs: null,
          resetToProgressMs: null,
          resetToSettledMs: null,
          settledNote: null,
        },
      },
    });
    expect(squeezed(textOf([duplicate(), never]))).toContain("activation 0.03 – – – – 1 1 –");
  });

  it("fits 100 columns", () => {
    const long = { condition: `opencode/${"x".repeat(60)}` };
    const trials = [
      ...many(100, (index) => duplicate({ spec: { ...long, trial: `t${index}` } })),
      ...many(200, (index) =>
        harmless({ spec: { ...long, trial: `u${index}` }, verdict: { resets: killedIn("k") } }),
      ),
    ];
    expect(
      Math.max(
        ...textOf(trials)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100);
  });

  it("says so when there is nothing", () => {
    expect(textOf([])).toContain("There is nothing to count.");
  });
});

describe("a comparison as text", () => {
  const lost = duplicate({ verdict: { session: { value: "lost", code: "log-empty", evidence: [] } } });
  const other: Trial = { ...lost, environment: null };

  it("lists what they ran on before what differs", () => {
    const text = renderComparison(
      compareRuns(summarize(runOf([duplicate()])), summarize(runOf([other], { run: "run-2" }))),
    );
    expect(text.indexOf("packages.agents")).toBeGreaterThan(0);
    expect(text.indexOf("packages.agents")).toBeLessThan(text.indexOf("Conditions that differ"));
    expect(squeezed(text)).toContain("session restored? restored ×1 lost ×1 new kind");
    expect(text).toContain("The runs differ: in 1 of 1 common conditions; 0 are in one run only.");
  });

  it.each([80, 100])("shows what they ran on whole, in %i columns", (width) => {
    const summary = summarize(runOf([duplicate()]));
    const environment = [{ what: "lockfileSha256", a: "æ".repeat(64), b: "þ".repeat(64) }];
    const text = renderComparison(
      { ...compareRuns(summary, summary), environment },
      { ...PLAIN_PAGE, width },
    );
    expect(text).toMatch(/\n {2}lockfileSha256 æ+ þ+\n/);
    for (const hash of ["æ", "þ"]) expect(text.match(new RegExp(hash, "g"))).toHaveLength(64);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  it("says that nothing differs, and how that was found out", () => {
    const summary = summarize(runOf([duplicate()]));
    const text = squeezed(renderComparison(compareRuns(summary, summary)));
    expect(text).toContain("Both ran on the same versions and source.");
    expect(text).toContain("Common conditions had the same settings.");
    expect(text).toContain("corrected after Holm over the 0 tests");
    expect(text).toContain("The runs do not differ.");
  });
});
