/**
 * Two summaries in, what differs between them out: first what they ran on, then, by condition, the three answers and
 * the counts.
 *
 * Two things make a difference. A *kind*: one run gave an answer that the other never gave. A *count*: Fisher's exact
 * test, corrected after Holm over every test of the comparison that could have shown anything. Counts that merely
 * vary are listed and are no difference.
 */
import { ASKED, type AskedKey, COMPARISON_SCHEMA, type Comparison, RATES } from "./comparison.ts";
import { compareEnvironments } from "./environments.ts";
import { canDiffer, fisherExact, holm } from "./fisher.ts";
import type { ConditionSummary, Summary } from "./summary.ts";

/** Chance of any false alarm in the whole comparison. */
export const LEVEL = 0.05;

type Compared = Comparison["conditions"][number];
type Test = Compared["tests"][number];
type Pair = Compared[AskedKey];

export function compareRuns(a: Summary, b: Summary): Comparison {
  const [inA, inB] = [measured(a), measured(b)];
  const shared = a.conditions.flatMap((one) => {
    const other = inB.get(one.condition);
    return inA.has(one.condition) && other !== undefined ? [{ a: one, b: other }] : [];
  });
  const tested = shared.map((pair) => ({ ...pair, tests: testsOf(pair.a, pair.b) }));
  const family = tested.flatMap(({ tests }) => tests.filter((test) => canDiffer(test.a, test.b)));
  const corrected = holm(family.map(({ p }) => p));
  const adjusted = new Map(family.map((test, index) => [test, corrected[index] ?? 1]));
  const conditions = tested.map(({ tests, ...pair }) =>
    comparedCondition(
      pair.a,
      pair.b,
      tests.map((test) => {
        const value = adjusted.get(test) ?? null;
        return { ...test, adjusted: value, significant: value !== null && value < LEVEL };
      }),
    ),
  );
  const only = {
    a: [...inA.keys()].filter((name) => !inB.has(name)),
    b: [...inB.keys()].filter((name) => !inA.has(name)),
  };
  return {
    schema: COMPARISON_SCHEMA,
    runs: { a: a.run, b: b.run },
    environment: compareEnvironments(a, b),
    only,
    tests: { family: family.length, level: LEVEL },
    conditions,
    differs: only.a.length + only.b.length > 0 || conditions.some(({ differs }) => differs),
  };
}

function measured({ conditions }: Summary): Map<string, ConditionSummary> {
  return new Map(conditions.filter(({ valid }) => valid > 0).map((one) => [one.condition, one]));
}

function testsOf(a: ConditionSummary, b: ConditionSummary): Test[] {
  return RATES.map(({ of, read }) => {
    const [one, other] = [seen(read(a)), seen(read(b))];
    return { of, a: one, b: other, p: fisherExact(one, other), adjusted: null, significant: false };
  });
}

function seen({ events, trials }: { events: number; trials: number }): Test["a"] {
  return { events, trials };
}

function comparedCondition(a: ConditionSummary, b: ConditionSummary, tests: Test[]): Compared {
  const answers = Object.fromEntries(
    ASKED.map(([key, { answers: read }]) => [key, { a: read(a[key] as never), b: read(b[key] as never) }]),
  ) as Record<AskedKey, Pair>;
  const kinds = ASKED.map(([key]) => key).filter((key) => differInKind(answers[key]));
  return {
    condition: a.condition,
    canary: a.canary || b.canary,
    valid: { a: a.valid, b: b.valid },
    ...answers,
    kinds,
    tests,
    differs: kinds.length > 0 || tests.some(({ significant }) => significant),
  };
}

function differInKind({ a, b }: Pair): boolean {
  return Object.keys(a).some((value) => !(value in b)) || Object.keys(b).some((value) => !(value in a));
}
