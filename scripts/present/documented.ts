/**
 * Promises beside what was seen: for each claim that a condition of the run names, and each subject that makes it, whether the
 * valid trials keep it. An answer that the evidence leaves open neither keeps nor breaks one.
 */
import { CLAIMS, type Claim, type ClaimName } from "../../experiments/claims.ts";
import type { Condition } from "../../experiments/conditions.ts";
import { isOpen } from "../../src/reconcile/axes/axis.ts";
import { matchExpectation } from "../../src/reconcile/index.ts";
import type { Expectation } from "../../src/trace/spec.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import type { Page } from "./page.ts";
import { wrap } from "./wrap.ts";

export type Documented = {
  readonly claim: ClaimName;
  readonly subject: string;
  readonly value: "holds" | "contradicted" | "not-tested";
  /** Valid trials that decide it, and those of them that contradict it. */
  readonly tested: number;
  readonly contradicting: readonly { readonly condition: string; readonly words: string }[];
};

export function documentedRows(run: JudgedRun, declared: readonly Condition[]): Documented[] {
  const seen = new Set(run.trials.map(({ spec }) => spec?.condition));
  const conditions = declared.filter(({ name, claims }) => seen.has(name) && claims.length > 0);
  return (Object.keys(CLAIMS) as ClaimName[]).flatMap((claim) => {
    const named = conditions.filter(({ claims }) => claims.includes(claim));
    const subjects = [...new Set(named.map(({ factors }) => factors.subject))];
    return subjects.map((subject) =>
      rowOf(
        claim,
        subject,
        run.trials.filter(({ spec }) =>
          named.some(({ name, factors }) => name === spec?.condition && factors.subject === subject),
        ),
      ),
    );
  });
}

function rowOf(claim: ClaimName, subject: string, trials: readonly JudgedTrial[]): Documented {
  const { holds }: Claim = CLAIMS[claim];
  const decided = trials.flatMap(({ spec, verdict }) => {
    if (verdict.validity.value !== "valid") return [];
    const { differences } = matchExpectation(verdict, holds as Expectation);
    if (differences.some(({ actual }) => isOpen(actual))) return [];
    const words = differences.map(({ axis, actual, expected }) => `${axis} ${actual}, not ${expected}`);
    return [{ condition: spec?.condition ?? "", words: words.join("; ") }];
  });
  const contradicting = decided.filter(({ words }) => words !== "");
  const value = decided.length === 0 ? "not-tested" : contradicting.length === 0 ? "holds" : "contradicted";
  return { claim, subject, value, tested: decided.length, contradicting };
}

/** Nothing where no condition names a claim. */
export function documentedLines(
  run: JudgedRun,
  declared: readonly Condition[],
  { paint, width }: Page,
): string[] {
  const rows = documentedRows(run, declared);
  if (rows.length === 0) return [];
  return [
    paint("bold", "What is promised, and what was seen of it"),
    ...rows.flatMap(({ claim, subject, value, tested, contradicting }) => {
      const { says, source, version }: Claim = CLAIMS[claim];
      const counted =
        value === "not-tested"
          ? "not tested"
          : value === "holds"
            ? `holds in ${tested} of ${tested}`
            : `contradicted in ${contradicting.length} of ${tested}`;
      return [
        ...wrap(`${subject}  ${counted}: ${says} (${version}, ${source})`, width, "  "),
        ...contradicting.flatMap(({ condition, words }) => wrap(`${condition}: ${words}`, width, "      ")),
      ];
    }),
    "",
  ];
}
