/**
 * The result table as data: one row per condition. Only valid trials enter a cell; session restored, execution resumed
 * and effects counted stay separate columns. Pure.
 */
import type { Condition } from "../../experiments/conditions.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import type { Verdict } from "../../src/trace/verdict.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { outcomeOf } from "../stored/outcome.ts";

export const COLUMNS = [
  "session",
  "execution",
  "executor",
  "att.",
  "effects",
  "flags",
  "repeat",
  "woke",
] as const;

/** Whether a reader should look at a row: everything as expected, a difference, or something undecided. */
export type Tone = "good" | "bad" | "open" | "plain";

export type ConditionRow = {
  readonly condition: string;
  /** The block of the experiment that it comes from. */
  readonly family: string;
  readonly canary: boolean;
  /** What to know before the cells: how many trials are behind them. Empty for one trial that is valid. */
  readonly remark: string;
  /** In the order of `COLUMNS`; null without a valid trial. */
  readonly cells: readonly string[] | null;
  readonly tone: Tone;
};

/** The experiment's conditions, as far as rows need them. */
export type Declared = readonly Pick<Condition, "name" | "family" | "canary">[];

const NOTHING = "–";
const CANARIES = "canaries";
const UNREADABLE = "(condition unreadable)";

/** @param declared in the experiment's order; others follow by name, then the unreadable, canaries last. */
export function conditionRows(run: JudgedRun, declared: Declared = []): ConditionRow[] {
  const trials = Map.groupBy(run.trials, ({ verdict }) => verdict.condition ?? UNREADABLE);
  const missing = Map.groupBy(run.missing, ({ condition }) => condition);
  const known = new Map(declared.map((one, place) => [one.name, { ...one, place }]));
  const placeOf = ({ condition, canary }: ConditionRow) =>
    (known.get(condition)?.place ?? known.size + (condition === UNREADABLE ? 1 : 0)) +
    (canary ? known.size + 2 : 0);
  return [...new Set([...trials.keys(), ...missing.keys()])]
    .map((name) => {
      const own = { trials: trials.get(name) ?? [], missing: missing.get(name) ?? [] };
      return rowOf(name, known.get(name)?.family ?? null, own);
    })
    .sort((a, b) => placeOf(a) - placeOf(b) || byCodeUnit(a.condition, b.condition));
}

type Own = { readonly trials: readonly JudgedTrial[]; readonly missing: JudgedRun["missing"] };

function rowOf(condition: string, family: string | null, { trials, missing }: Own): ConditionRow {
  const valid = trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const canary = trials.some(({ spec }) => spec?.canary === true) || missing.some((one) => one.canary);
  return {
    condition,
    family: canary ? CANARIES : (family ?? "not declared in the experiment"),
    canary,
    remark: remarkOn({ trials, missing }, valid),
    cells: valid.length === 0 ? null : cellsOf(valid),
    tone: toneOf(trials, missing.length),
  };
}

function remarkOn({ trials, missing }: Own, valid: readonly JudgedTrial[]): string {
  const total = trials.length + missing.length;
  if (total === 1 && valid.length === 1) return "";
  const compared = valid.filter(({ expectation }) => expectation !== null);
  const matching = compared.filter(({ expectation }) => expectation?.matches === true).length;
  const reasons = trials.flatMap(({ verdict }) => verdict.validity.reasons.map(({ code }) => code));
  return [
    `${valid.length}/${total} valid`,
    ...(matching < compared.length ? [`${matching} of ${compared.length} as expected`] : []),
    ...[...new Set(reasons)].sort(),
    ...(missing.length > 0 ? [`${missing.length} without a trace`] : []),
  ].join(", ");
}

function cellsOf(valid: readonly JudgedTrial[]): string[] {
  const of = (read: (verdict: Verdict) => string) => tally(valid.map(({ verdict }) => read(verdict)));
  return [
    of(({ session }) => session.value),
    of(({ execution }) => execution.value),
    of(({ executor }) => executor.value),
    of(({ operations }) => String(sum(operations.map(({ attempts }) => attempts)))),
    of(
      ({ operations }) =>
        `${sum(operations.map(({ effects }) => effects))}/${sum(operations.map(({ intended }) => intended))}`,
    ),
    of(({ operations }) => words(operations.flatMap(({ flags }) => flags))),
    of(({ repeats }) => words(repeats.map(({ cause }) => cause))),
    wokeText(valid.map(({ verdict }) => verdict.autonomous)),
  ];
}

function toneOf(trials: readonly JudgedTrial[], missing: number): Tone {
  const outcomes = new Set(trials.map(outcomeOf));
  if (outcomes.has("differs") || outcomes.has("acquitted") || outcomes.has("kit-wrong")) return "bad";
  if (missing > 0 || outcomes.has("invalid") || outcomes.has("unknown")) return "open";
  return trials.every(({ expectation }) => expectation?.matches === true) ? "good" : "plain";
}

/** One value when all agree; else each with how often it was seen, the most frequent first. */
function tally(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([a, many], [b, more]) => more - many || byCodeUnit(a, b));
  if (sorted.length <= 1) return sorted[0]?.[0] ?? NOTHING;
  return sorted.map(([value, count]) => `${value} ×${count}`).join("\n");
}

/** From the reset until the object came back before any client, as a range over the trials; `no` if it did not. */
function wokeText(answers: readonly Verdict["autonomous"][]): string {
  const times = answers.flatMap(({ value, wokeAfterMs }) =>
    value === "yes" && wokeAfterMs !== null ? [wokeAfterMs / 1_000] : [],
  );
  const others = answers.flatMap(({ value }) =>
    value === "yes" ? [] : [value === "not-applicable" ? NOTHING : value === "unknown" ? "?" : value],
  );
  const [least, most] = [Math.min(...times).toFixed(1), Math.max(...times).toFixed(1)];
  const range = times.length === 0 ? [] : least === most ? [least] : [`${least}–`, most];
  return [...range, ...(others.length === 0 ? [] : [tally(others)])].join("\n") || NOTHING;
}

function words(all: readonly string[]): string {
  return [...new Set(all)].sort().join("\n") || NOTHING;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
