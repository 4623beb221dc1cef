/**
 * The pivot of distinct answers: conditions whose valid trials gave the same answers stand together, however many trials each
 * of them has. Times are no answers. Pure.
 */
import { AXES } from "../../src/reconcile/axes/index.ts";
import type { Verdict } from "../../src/reconcile/verdict.ts";
import type { AnswerGroup, Tone } from "../../src/report/report-model.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";

const CELLS = AXES.flatMap(({ name, columns }) =>
  columns.flatMap(({ title, kind, cell }) =>
    kind === "words" ? [{ title, of: (verdict: Verdict): string => cell([verdict[name]] as never) }] : [],
  ),
);

export const ANSWER_COLUMNS: readonly string[] = CELLS.map(({ title }) => title);

/** One condition with its valid trials. */
export type Answering = {
  readonly condition: string;
  readonly tone: Tone;
  readonly verdicts: readonly Verdict[];
};

/** Largest first; a condition without a valid trial gave no answers and is in none. */
export function answerGroups(conditions: readonly Answering[]): AnswerGroup[] {
  const answered = conditions
    .filter(({ verdicts }) => verdicts.length > 0)
    .map((one) => ({ ...one, answers: answersOf(one.verdicts) }));
  return [...Map.groupBy(answered, ({ answers }) => JSON.stringify(answers)).values()]
    .flatMap((group): AnswerGroup[] => {
      const [first] = group;
      if (first === undefined) return [];
      return [
        {
          answers: first.answers,
          conditions: group.map(({ condition }) => condition),
          trials: group.reduce((sum, { verdicts }) => sum + verdicts.length, 0),
          tone: worst(group.map(({ tone }) => tone)),
        },
      ];
    })
    .sort((a, b) => b.conditions.length - a.conditions.length || byCodeUnit(nameOf(a), nameOf(b)));
}

/** By column, each answer once. */
function answersOf(verdicts: readonly Verdict[]): string[][] {
  return CELLS.map(({ of }) =>
    [...new Set(verdicts.map((one) => of(one).replaceAll("\n", ", ")))].sort(byCodeUnit),
  );
}

const BY_WEIGHT: readonly Tone[] = ["bad", "open", "plain"];

/** A group is looked at when one of its conditions is to be. */
function worst(tones: readonly Tone[]): Tone {
  return BY_WEIGHT.find((tone) => tones.includes(tone)) ?? "good";
}

function nameOf({ conditions }: AnswerGroup): string {
  return conditions[0] ?? "";
}
