/**
 * What a judged run comes to, and the exit code that says so (README.md, "How to read it"). Pure.
 *
 * 4 the kit or the machine failed · 2 bad input · 3 some trial invalid or unknown · 1 some verdict differs from its expectation ·
 * 0 all valid and as expected. The earlier one in this list wins.
 */
import { isOpen } from "../../src/reconcile/axes/axis.ts";
import { expectableWords } from "../../src/reconcile/expectation.ts";
import type { Verdict } from "../../src/reconcile/verdict.ts";
import type { JudgedRun } from "./judge-run.ts";
import type { JudgedTrial } from "./judge-trace.ts";

export const EXIT = {
  asExpected: 0,
  differs: 1,
  badInput: 2,
  undecided: 3,
  kitFailed: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** How one trial counts. `acquitted`: a canary that the judge did not convict. */
export type TrialOutcome =
  | "as-expected"
  | "differs"
  /** Valid, and nothing was held against it: its condition has no expectation and no invariant was asked for. */
  | "no-expectation"
  | "unknown"
  | "invalid"
  | "acquitted"
  | "kit-wrong";

export function outcomeOf({ verdict, spec, expectation, requirement }: JudgedTrial): TrialOutcome {
  if (verdict.validity.reasons.some(({ code }) => code === "law-breached")) return "kit-wrong";
  if (verdict.validity.value === "invalid") {
    // A trial that was made to trip a gate is as expected when it did, for the expected reasons.
    const meant = spec?.expect?.validity === "invalid" && !spec.canary;
    return meant && expectation?.matches === true ? "as-expected" : "invalid";
  }
  if (spec?.canary === true) return expectation?.matches === true ? "as-expected" : "acquitted";
  // Who asks for invariants asks for no others.
  if (requirement === null && undecidedAxes(verdict, expected(spec)).length > 0) return "unknown";
  if (requirement?.differences.some(({ actual }) => isOpen(actual)) === true) return "unknown";
  const held = expectation ?? requirement;
  if (held === null) return "no-expectation";
  return held.matches ? "as-expected" : "differs";
}

/** Axes that a reader decides by and that the evidence left open, unless the experiment expects just that. */
export function undecidedAxes(verdict: Verdict, expectedWords: ReadonlySet<string>): string[] {
  return Object.entries(expectableWords(verdict))
    .filter(([key, words]) => words.some((word) => isOpen(word) && !expectedWords.has(`${key}=${word}`)))
    .map(([key]) => key);
}

/** Canary conditions that were to be convicted and were not, invalid and missing ones included. */
export function acquittedCanaries({ trials, missing }: JudgedRun): string[] {
  const judged = trials
    .filter((trial) => trial.spec?.canary === true && outcomeOf(trial) !== "as-expected")
    .map(({ spec }) => spec?.condition ?? "");
  return [
    ...new Set([...judged, ...missing.filter(({ canary }) => canary).map(({ condition }) => condition)]),
  ];
}

export function exitCodeOf(run: JudgedRun): ExitCode {
  const outcomes = new Set(run.trials.map(outcomeOf));
  if (outcomes.has("kit-wrong")) return EXIT.kitFailed;
  const open = outcomes.has("invalid") || outcomes.has("unknown") || outcomes.has("acquitted");
  if (open || run.missing.length > 0 || run.problems.length > 0) return EXIT.undecided;
  return outcomes.has("differs") ? EXIT.differs : EXIT.asExpected;
}

/** The exit code of several runs together. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const order: ExitCode[] = [EXIT.interrupted, EXIT.kitFailed, EXIT.badInput, EXIT.undecided, EXIT.differs];
  return order.find((code) => codes.includes(code)) ?? EXIT.asExpected;
}

/** The words that the expectation names, as `axis=word`. */
function expected(spec: JudgedTrial["spec"]): ReadonlySet<string> {
  return new Set(
    Object.entries(spec?.expect ?? {}).flatMap(([axis, wanted]) =>
      (Array.isArray(wanted) ? wanted : [wanted]).map((word) => `${axis}=${word}`),
    ),
  );
}
