/**
 * Promises beside what was seen: for each subject of the run and each claim that is its own, whether the valid trials of the
 * conditions that name the claim keep it. An answer that the evidence leaves open neither keeps nor breaks one.
 */
import { z } from "zod";
import { CLAIMS, type Claim, type ClaimName } from "../../experiments/claims.ts";
import type { Condition } from "../../experiments/conditions.ts";
import { isOpen } from "../../src/reconcile/axes/axis.ts";
import { matchExpectation } from "../../src/reconcile/index.ts";
import type { Expectation } from "../../src/trace/spec.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import type { Page } from "./page.ts";
import { wrap } from "./wrap.ts";

export const Documented = z.strictObject({
  claim: z.enum(Object.keys(CLAIMS) as ClaimName[]),
  subject: z.string(),
  says: z.string(),
  source: z.string(),
  version: z.string(),
  value: z.enum(["holds", "contradicted", "not-tested"]),
  /** How many valid trials decide it, and those of them that contradict it. */
  tested: z.number().int().min(0),
  contradicting: z.array(z.strictObject({ condition: z.string(), words: z.string() })),
});
export type Documented = z.infer<typeof Documented>;

/** Every promise of every subject in the run; those that no condition of it puts to the test are not tested. */
export function documentedRows(run: Pick<JudgedRun, "trials">, declared: readonly Condition[]): Documented[] {
  const ran = new Set(run.trials.map(({ spec }) => spec?.factors.subject));
  return (Object.entries(CLAIMS) as [ClaimName, Claim][]).flatMap(([claim, { subjects }]) => {
    const naming = new Set(declared.flatMap(({ name, claims }) => (claims.includes(claim) ? [name] : [])));
    return subjects
      .filter((subject) => ran.has(subject))
      .map((subject) =>
        rowOf(
          claim,
          subject,
          run.trials.filter(({ spec }) => spec?.factors.subject === subject && naming.has(spec.condition)),
        ),
      );
  });
}

function rowOf(claim: ClaimName, subject: string, trials: readonly JudgedTrial[]): Documented {
  const { holds, says, source, version }: Claim = CLAIMS[claim];
  const decided = trials.flatMap(({ spec, verdict }) => {
    if (verdict.validity.value !== "valid") return [];
    const { differences } = matchExpectation(verdict, holds as Expectation);
    if (differences.some(({ actual }) => isOpen(actual))) return [];
    const words = differences.map(({ axis, actual, expected }) => `${axis} ${actual}, not ${expected}`);
    return [{ condition: spec?.condition ?? "", words: words.join("; ") }];
  });
  const contradicting = decided.filter(({ words }) => words !== "");
  const value = decided.length === 0 ? "not-tested" : contradicting.length === 0 ? "holds" : "contradicted";
  return { claim, subject, says, source, version, value, tested: decided.length, contradicting };
}

/** E.g. `contradicted in 1 of 2`. */
export function documentedWords({ value, tested, contradicting }: Documented): string {
  if (value === "not-tested") return "not tested";
  return value === "holds"
    ? `holds in ${tested} of ${tested}`
    : `contradicted in ${contradicting.length} of ${tested}`;
}

/** Nothing where no subject promised anything. */
export function documentedLines(rows: readonly Documented[], { paint, width }: Page): string[] {
  if (rows.length === 0) return [];
  return [
    paint("bold", "What is promised, and what was seen of it"),
    ...rows.flatMap((row) => [
      ...wrap(
        `${row.subject}  ${documentedWords(row)}: ${row.says} (${row.version}, ${row.source})`,
        width,
        "  ",
      ),
      ...row.contradicting.flatMap(({ condition, words }) => wrap(`${condition}: ${words}`, width, "      ")),
    ]),
    "",
  ];
}
