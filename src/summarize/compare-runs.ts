/**
 * Two summaries in, what differs between them out: first what they ran on, then, by condition, what was set, the answers
 * to every question, the counts and the times.
 *
 * Three things make a difference. A *kind*: one run gave an answer that the other never gave. A *count*: Fisher's exact
 * test over acts, corrected after Holm over every test of the comparison that could have shown anything. A *time*: the
 * ranges do not overlap and the medians lie apart. Counts and times that merely vary are listed and are no difference.
 */
import type { Distribution } from "../trace/counts.ts";
import { COMPARISON_SCHEMA, type Comparison, QUESTIONS, RATES } from "./comparison.ts";
import { compareEnvironments, differing } from "./environments.ts";
import { canDiffer, fisherExact, holm } from "./fisher.ts";
import type { ConditionSummary, Summary } from "./summary.ts";

/** Chance of any false alarm in the whole comparison. */
const LEVEL = 0.05;
/** Medians that lie less far apart, in ms and as a share of the longer one, are taken for the machine's own noise. */
export const TIME_APART_MS = 2_000;
export const TIME_APART_SHARE = 0.2;

type Compared = Comparison["conditions"][number];
type Test = Compared["tests"][number];
type Pair = Compared["answers"][string];
type Time = Compared["times"][number];

/** @param commonOnly conditions that one run alone has make no difference. */
export function compareRuns(a: Summary, b: Summary, { commonOnly = false } = {}): Comparison {
  const [inA, inB] = [measured(a), measured(b)];
  const shared = [...inA].flatMap(([name, one]) => {
    const other = inB.get(name);
    return other === undefined ? [] : [{ a: one, b: other }];
  });
  const tested = shared.map((pair) => ({ ...pair, tests: testsOf(pair.a, pair.b) }));
  const family = tested.flatMap(({ tests }) =>
    tests.flatMap((test) => (test.p !== null && canDiffer(test.a, test.b) ? [{ test, p: test.p }] : [])),
  );
  const corrected = holm(family.map(({ p }) => p));
  const adjusted = new Map(family.map(({ test }, index) => [test, corrected[index] ?? 1]));
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
  const alone = only.a.length + only.b.length;
  return {
    schema: COMPARISON_SCHEMA,
    runs: { a: a.run, b: b.run },
    hosts: { a: a.host, b: b.host },
    caveats: { a: a.caveat, b: b.caveat },
    environment: compareEnvironments(a, b),
    only,
    commonOnly,
    tests: { family: family.length, level: LEVEL },
    conditions,
    differs: (!commonOnly && alone > 0) || conditions.some(({ differs }) => differs),
  };
}

function measured({ conditions }: Summary): Map<string, ConditionSummary> {
  return new Map(conditions.filter(({ valid }) => valid > 0).map((one) => [one.condition, one]));
}

function testsOf(a: ConditionSummary, b: ConditionSummary): Test[] {
  return RATES.map(({ of, read }) => {
    const [one, other] = [read(a), read(b)];
    const [seenA, seenB] = [seen(one), seen(other)];
    const withheld = whyWithheld(seenA, seenB);
    const p = withheld === null ? fisherExact(seenA, seenB) : null;
    return { of, a: seenA, b: seenB, p, withheld, adjusted: null, significant: false };
  });
}

function seen({ events, trials, clusters }: { events: number; trials: number; clusters: number }): Test["a"] {
  return { events, trials, acts: clusters };
}

/** Trials that one act hit together are copies of one draw: no test may take them for independent. */
function whyWithheld(a: Test["a"], b: Test["a"]): string | null {
  const copies = [a, b].some(({ acts, trials }) => acts < trials);
  if (!copies) return null;
  return `${a.trials} trials of ${acts(a.acts)} against ${b.trials} of ${acts(b.acts)}: trials of one act are not independent`;
}

function acts(count: number): string {
  return count === 1 ? "1 act" : `${count} acts`;
}

function comparedCondition(a: ConditionSummary, b: ConditionSummary, tests: Test[]): Compared {
  const answers = Object.fromEntries(
    QUESTIONS.map(({ key, answers: read }): [string, Pair] => [key, { a: read(a), b: read(b) }]),
  );
  const kinds = Object.entries(answers).flatMap(([key, pair]) => (differInKind(pair) ? [key] : []));
  const times = Object.keys(a.timings).map((of): Time => {
    const pair = { a: a.timings[of as keyof typeof a.timings], b: b.timings[of as keyof typeof b.timings] };
    return { of, ...pair, differs: liesApart(pair.a, pair.b) };
  });
  return {
    condition: a.condition,
    canary: a.canary || b.canary,
    valid: { a: a.valid, b: b.valid },
    acts: { a: actsBehind(a), b: actsBehind(b) },
    settings: differing(settingsOf(a), settingsOf(b)),
    answers,
    kinds,
    tests,
    times,
    differs:
      kinds.length > 0 ||
      tests.some(({ significant }) => significant) ||
      times.some(({ differs }) => differs),
  };
}

/** Draws behind a condition's trials; a trial without a reset is one of its own. */
function actsBehind({ valid, resets }: ConditionSummary): number {
  return resets.performed === 0 ? valid : Math.min(valid, resets.clusters);
}

function settingsOf({ factors, settings }: ConditionSummary): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(factors ?? {}).map(([name, value]) => [name, String(value)] as const),
    ...Object.entries(settings),
  ]);
}

function differInKind({ a, b }: Pair): boolean {
  return Object.keys(a).some((value) => !(value in b)) || Object.keys(b).some((value) => !(value in a));
}

/** Whether no trial of the one took as long as any of the other, and by more than the machine varies. */
function liesApart(a: Distribution, b: Distribution): boolean {
  const [shorter, longer] = (a.p50 ?? Infinity) <= (b.p50 ?? Infinity) ? [a, b] : [b, a];
  if (shorter.p50 === null || shorter.max === null || shorter.observed === 0) return false;
  if (longer.p50 === null) return longer.observed === 0 && longer.censored > 0;
  if (longer.min === null || longer.min <= shorter.max) return false;
  const apart = longer.p50 - shorter.p50;
  return apart >= TIME_APART_MS && apart >= TIME_APART_SHARE * longer.p50;
}
