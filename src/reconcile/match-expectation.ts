/**
 * Holds a verdict against what the experiment's author expects of its condition. Axes that the expectation does not
 * name are not compared. `repeat: []` and `repeat: ["none"]` both mean that nothing was repeated.
 */
import type { Expectation } from "../trace/spec.ts";
import type { Verdict } from "../trace/verdict.ts";

export type Difference = { readonly axis: string; readonly expected: string; readonly actual: string };
export type ExpectationMatch = { readonly matches: boolean; readonly differences: readonly Difference[] };

export function matchExpectation(verdict: Verdict, expect: Expectation): ExpectationMatch {
  const actual: Record<keyof Expectation, string> = {
    validity: verdict.validity.value,
    // An invalid trial may have further reasons: only the expected ones are asked for.
    reasons: listed(
      verdict.validity.reasons.map(({ code }) => code).filter((code) => expect.reasons?.includes(code)),
    ),
    session: verdict.session.value,
    execution: verdict.execution.value,
    executor: verdict.executor.value,
    stuck: verdict.stuck.value,
    attempts: String(sum(verdict.operations.map(({ attempts }) => attempts))),
    effects: String(sum(verdict.operations.map(({ effects }) => effects))),
    flags: listed(verdict.operations.flatMap(({ flags }) => flags)),
    repeat: listed(verdict.repeats.map(({ cause }) => cause)),
    autonomous: verdict.autonomous.value,
  };
  const differences: Difference[] = [];
  for (const axis of Object.keys(actual) as (keyof Expectation)[]) {
    const wanted = expect[axis];
    if (wanted === undefined) continue;
    const expected = wordOf(wanted);
    if (expected !== actual[axis]) differences.push({ axis, expected, actual: actual[axis] });
  }
  return { matches: differences.length === 0, differences };
}

function wordOf(wanted: string | number | boolean | string[]): string {
  if (typeof wanted === "boolean") return wanted ? "yes" : "no";
  return Array.isArray(wanted) ? listed(wanted.filter((one) => one !== "none")) : String(wanted);
}

/** Each word once, sorted: an expectation names the kinds, not how often. */
function listed(words: readonly string[]): string {
  return words.length === 0 ? "none" : [...new Set(words)].sort().join(", ");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
