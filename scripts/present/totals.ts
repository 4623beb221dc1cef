/** A judged run in one line of counts. Pure. */
import type { JudgedRun } from "../stored/judge-run.ts";
import { outcomeOf } from "../stored/outcome.ts";

export type Totals = {
  readonly trials: number;
  readonly valid: number;
  /** Invalid because they were made to trip a gate, for the expected reason. */
  readonly meant: number;
  readonly asExpected: number;
  readonly unexpecting: number;
  readonly differ: number;
  readonly undecided: number;
  readonly invalid: number;
  readonly acquitted: number;
  readonly contradictory: number;
  readonly missing: number;
};

export function totalsOf({ trials, missing }: JudgedRun): Totals {
  const judged = trials.map((trial) => ({
    outcome: outcomeOf(trial),
    valid: trial.verdict.validity.value === "valid",
  }));
  const count = (test: (one: (typeof judged)[number]) => boolean) => judged.filter(test).length;
  return {
    trials: judged.length + missing.length,
    valid: count(({ valid }) => valid),
    meant: count(({ valid, outcome }) => !valid && outcome === "as-expected"),
    asExpected: count(({ outcome }) => outcome === "as-expected"),
    unexpecting: count(({ outcome }) => outcome === "no-expectation"),
    differ: count(({ outcome }) => outcome === "differs"),
    undecided: count(({ outcome }) => outcome === "unknown"),
    invalid: count(({ outcome }) => outcome === "invalid"),
    acquitted: count(({ outcome }) => outcome === "acquitted"),
    contradictory: count(({ outcome }) => outcome === "kit-wrong"),
    missing: missing.length,
  };
}

/** For example `76 trials, 75 valid, 74 as expected, 1 differs, 1 invalid.` */
export function totalsLine(totals: Totals): string {
  const { trials, valid, meant, asExpected, differ } = totals;
  const some = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`]);
  const parts = [
    `${trials} ${trials === 1 ? "trial" : "trials"}`,
    `${valid} valid${meant === 0 ? "" : ` and ${meant} invalid as meant`}`,
    `${asExpected} as expected`,
    `${differ} ${differ === 1 ? "differs" : "differ"}`,
    ...some(totals.unexpecting, "with no expectation"),
    ...some(totals.undecided, "undecided"),
    ...some(totals.invalid, "invalid"),
    ...some(totals.acquitted, totals.acquitted === 1 ? "canary not convicted" : "canaries not convicted"),
    ...some(totals.contradictory, "in which the law is breached"),
    ...some(totals.missing, "without a trace"),
  ];
  return `${parts.join(", ")}.`;
}
