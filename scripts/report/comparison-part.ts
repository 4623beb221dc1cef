/** Two runs held against each other as the page shows them: what they ran on first, then what differs. Pure. */
import type { ComparisonPart } from "../../src/report/report-model.ts";
import type { Comparison } from "../../src/summarize/comparison.ts";
import {
  comparedSentences,
  pText,
  questionOf,
  tallyText,
  timeName,
  timeText,
} from "../present/comparison-text.ts";
import { NOTHING } from "../present/numbers.ts";

type Condition = Comparison["conditions"][number];
type Row = ComparisonPart["conditions"][number]["rows"][number];

export function comparisonPart(comparison: Comparison): ComparisonPart {
  const { environment, conditions, only, differs } = comparison;
  const differing = conditions.filter((one) => one.differs);
  const settings = Map.groupBy(
    conditions.flatMap((one) => one.settings),
    ({ what, a, b }) => JSON.stringify([what, a, b]),
  );
  const { said, compared } = comparedSentences(comparison, differing.length);
  return {
    differs,
    sentences: [said, compared],
    environment: environment.map(shown),
    settings: [...settings.values()].flatMap((same) =>
      same[0] === undefined ? [] : [{ ...shown(same[0]), conditions: same.length }],
    ),
    only: { a: [...only.a], b: [...only.b] },
    conditions: differing.map((one) => ({ condition: one.condition, rows: rowsOf(one) })),
  };
}

function rowsOf({ valid, acts, kinds, answers, tests, times }: Condition): Row[] {
  return [
    {
      what: "valid trials (acts)",
      a: [`${valid.a} (${acts.a})`],
      b: [`${valid.b} (${acts.b})`],
      note: "",
    },
    ...kinds.map((key) => ({
      what: questionOf(key),
      a: tallyText(answers[key]?.a ?? {}).split("\n"),
      b: tallyText(answers[key]?.b ?? {}).split("\n"),
      note: "new kind of answer",
    })),
    ...tests
      .filter(({ a, b }) => a.events * b.trials !== b.events * a.trials)
      .map(({ of, a, b, p, adjusted, significant, withheld }) => ({
        what: of,
        a: [`${a.events}/${a.trials}`],
        b: [`${b.events}/${b.trials}`],
        note:
          p === null
            ? `no p-value: ${withheld ?? "withheld"}`
            : `p ${pText(p)}, corrected ${pText(adjusted ?? 1)}${significant ? ": differs" : ""}`,
      })),
    ...times
      .filter((one) => one.differs)
      .map(({ of, a, b }) => ({
        what: timeName(of),
        a: [timeText(a)],
        b: [timeText(b)],
        note: "times lie apart",
      })),
  ];
}

function shown({
  what,
  a,
  b,
}: {
  readonly what: string;
  readonly a: string | null;
  readonly b: string | null;
}) {
  return { what, a: a ?? NOTHING, b: b ?? NOTHING };
}
