/**
 * The result table as data: one row per condition. Only valid trials enter a cell; session restored, execution resumed
 * and effects counted stay separate columns. Pure.
 */
import type { Condition } from "../../experiments/conditions.ts";
import { AXES } from "../../src/reconcile/axes/index.ts";
import type { Verdict } from "../../src/reconcile/verdict.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { outcomeOf } from "../stored/outcome.ts";

/** The columns of all axes, with how to fill them; times stand behind words. */
const CELLS = AXES.flatMap(({ name, columns }) =>
  columns.map(({ title, kind, cell }) => ({
    title,
    kind,
    of: (verdicts: readonly Verdict[]): string => cell(verdicts.map((verdict) => verdict[name]) as never),
  })),
).sort((a, b) => Number(a.kind === "time") - Number(b.kind === "time"));

export const COLUMNS: readonly string[] = CELLS.map(({ title }) => title);
/** In the order of `COLUMNS`. */
export const KINDS = CELLS.map(({ kind }) => kind);

/** Whether a reader should look at a row: everything as expected, a difference, or something undecided. */
export type Tone = "good" | "bad" | "open" | "plain";

export type ConditionRow = {
  readonly condition: string;
  /** The block of the experiment that it comes from. */
  readonly family: string;
  readonly canary: boolean;
  /** What to know before the cells: which trials are behind them, as far as they can be named, and how many count. */
  readonly remark: string;
  /** In the order of `COLUMNS`; null without a valid trial. */
  readonly cells: readonly string[] | null;
  /** What stands below the cells: answers that are more than a word, and where the log was read on from. */
  readonly note: string;
  readonly tone: Tone;
};

/** The experiment's conditions, as far as rows need them. */
type Declared = readonly Pick<Condition, "name" | "family" | "canary">[];

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
      const own = { run: run.run, trials: trials.get(name) ?? [], missing: missing.get(name) ?? [] };
      return rowOf(name, known.get(name)?.family ?? null, own);
    })
    .sort((a, b) => placeOf(a) - placeOf(b) || byCodeUnit(a.condition, b.condition));
}

type Own = {
  readonly run: string;
  readonly trials: readonly JudgedTrial[];
  readonly missing: JudgedRun["missing"];
};

function rowOf(condition: string, family: string | null, { run, trials, missing }: Own): ConditionRow {
  const valid = trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const canary = trials.some(({ spec }) => spec?.canary === true) || missing.some((one) => one.canary);
  return {
    condition,
    family: canary ? CANARIES : (family ?? "not declared in the experiment"),
    canary,
    remark: remarkOn({ run, trials, missing }, valid),
    cells: valid.length === 0 ? null : cellsOf(valid),
    note: valid.length === 0 ? "" : noteOn(valid.map(({ verdict }) => verdict)),
    tone: toneOf(trials, missing.length),
  };
}

/** Most trials that a row names. */
const NAMED_MAX = 5;

function remarkOn({ run, trials, missing }: Own, valid: readonly JudgedTrial[]): string {
  const total = trials.length + missing.length;
  const ids = [...trials.map(({ verdict }) => verdict.trial), ...missing.map(({ trial }) => trial)];
  const names = ids.flatMap((id) => (id === null ? [] : id.replace(`${run}-`, ""))).sort();
  const named =
    names.length === 0 || names.length > NAMED_MAX
      ? []
      : [`${names.length === 1 ? "trial" : "trials"} ${names.join(" ")}`];
  if (total === 1 && valid.length === 1) return named.join("");
  const compared = valid.filter(({ expectation }) => expectation !== null);
  const matching = compared.filter(({ expectation }) => expectation?.matches === true).length;
  const reasons = trials.flatMap(({ verdict }) => verdict.validity.reasons.map(({ code }) => code));
  return [
    `${valid.length}/${total} valid`,
    ...(matching < compared.length ? [`${matching} of ${compared.length} as expected`] : []),
    ...[...new Set(reasons)].sort(),
    ...(missing.length > 0 ? [`${missing.length} without a trace`] : []),
    ...named,
  ].join(", ");
}

function cellsOf(valid: readonly JudgedTrial[]): string[] {
  const verdicts = valid.map(({ verdict }) => verdict);
  return CELLS.map(({ of }) => of(verdicts));
}

function noteOn(verdicts: readonly Verdict[]): string {
  const notes = AXES.flatMap((axis) =>
    "note" in axis ? axis.note(verdicts.map((verdict) => verdict[axis.name]) as never) : [],
  );
  return [...notes, cursorNote(verdicts)].join(" · ");
}

/** Where the durable cursor of the session's log stood before the reset and at the end. */
function cursorNote(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ transcript, resets }) => {
    if (resets.length === 0) return "log not read before";
    const { cursorBefore, cursorAfter, missing, damaged } = transcript;
    if (cursorBefore === null || cursorAfter === null || missing === null || damaged === null)
      return "no log to compare";
    const { readOn } = transcript;
    const on = readOn === null ? "not read on" : `${readOn.events} events read on`;
    const lacks = readOn === null ? missing.length : missing.length + readOn.missing.length;
    return `log cursor ${cursorBefore}→${cursorAfter}, ${on}, ${lacks} missing, ${damaged.length} changed`;
  });
  return [...new Set(lines)].join(" | ");
}

function toneOf(trials: readonly JudgedTrial[], missing: number): Tone {
  const outcomes = new Set(trials.map(outcomeOf));
  if (outcomes.has("differs") || outcomes.has("acquitted") || outcomes.has("kit-wrong")) return "bad";
  if (missing > 0 || outcomes.has("invalid") || outcomes.has("unknown")) return "open";
  return trials.every(({ expectation }) => expectation?.matches === true) ? "good" : "plain";
}
