/**
 * The result table as data: one row per condition. Only valid trials enter a cell; session restored, execution resumed
 * and effects counted stay separate columns. Pure.
 */
import type { Verdict } from "../../src/trace/verdict.ts";
import type { JudgedRun } from "../judge/judge-run.ts";
import type { JudgedTrial } from "../judge/judge-trace.ts";
import { outcomeOf } from "../judge/outcome.ts";

export const COLUMNS = [
  "valid/\ntrials",
  "session",
  "execution",
  "executor",
  "at-\ntempts",
  "effects/\nintended",
  "flags",
  "repeat\ncause",
  "woke\n(s)",
  "as ex-\npected",
] as const;

/** Whether a reader should look at a row: everything as expected, a difference, or something undecided. */
export type Tone = "good" | "bad" | "open" | "plain";

export type ConditionRow = {
  readonly condition: string;
  readonly canary: boolean;
  /** In the order of `COLUMNS`. */
  readonly cells: readonly string[];
  readonly tone: Tone;
};

/** Widest cell per column, so that the table fits 100 columns; longer words are broken at a hyphen. */
const WIDTHS = [5, 11, 11, 12, 6, 8, 10, 11, 5, 6] as const;

const NOTHING = "–";

/** @param order names in the experiment's order; others follow by name, canaries and the unreadable last. */
export function conditionRows(run: JudgedRun, order: readonly string[] = []): ConditionRow[] {
  const trials = Map.groupBy(run.trials, ({ verdict }) => verdict.condition ?? "(condition unreadable)");
  const missing = Map.groupBy(run.missing, ({ condition }) => condition);
  const names = [...new Set([...trials.keys(), ...missing.keys()])].sort(byPlace(order));
  return names.map((name) => rowOf(name, trials.get(name) ?? [], missing.get(name) ?? []));
}

function rowOf(
  condition: string,
  trials: readonly JudgedTrial[],
  missing: JudgedRun["missing"],
): ConditionRow {
  const valid = trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const of = (read: (verdict: Verdict) => string) => tally(valid.map(({ verdict }) => read(verdict)));
  const total = trials.length + missing.length;
  const cells = [
    `${valid.length}/${total}`,
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
    matchText(valid),
  ];
  return {
    condition,
    canary: trials.some(({ spec }) => spec?.canary === true) || missing.some(({ canary }) => canary),
    cells: cells.map((cell, index) => fold(cell, WIDTHS[index] ?? 10)),
    tone: toneOf(trials, missing.length),
  };
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
  const sorted = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
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

function matchText(valid: readonly JudgedTrial[]): string {
  const compared = valid.filter(({ expectation }) => expectation !== null);
  const matching = compared.filter(({ expectation }) => expectation?.matches === true).length;
  if (compared.length === 0) return NOTHING;
  if (matching === compared.length) return "yes";
  return matching === 0 ? "no" : `${matching} of ${compared.length}`;
}

function words(all: readonly string[]): string {
  return [...new Set(all)].sort().join("\n") || NOTHING;
}

/** Breaks lines that are too long after a hyphen or a space, or where there is none, anywhere. */
export function fold(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => foldLine(line, width))
    .join("\n");
}

function foldLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const part of line.match(/[^- ]+[- ]?|[- ]/g) ?? []) {
    if (current !== "" && (current + part).trimEnd().length > width) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += part;
    while (current.trimEnd().length > width) {
      lines.push(current.slice(0, width));
      current = current.slice(width);
    }
  }
  return [...lines, current.trimEnd()];
}

function byPlace(order: readonly string[]): (a: string, b: string) => number {
  const place = (name: string) => {
    const known = order.indexOf(name);
    if (known !== -1) return known;
    return order.length + (name.startsWith("(") ? 2 : name.startsWith("canary-") ? 1 : 0);
  };
  return (a, b) => place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
