/** What a run gives that its baseline did not, one sentence for each difference. The baseline is the run named first. Pure. */
import { type Comparison, QUESTIONS } from "../../src/summarize/comparison.ts";
import type { Tally } from "../../src/trace/counts.ts";
import { secondsText } from "./numbers.ts";

type Condition = Comparison["conditions"][number];

const ASKED: ReadonlyMap<string, string> = new Map(QUESTIONS.map(({ key, question }) => [key, question]));

/** Empty where the condition does not differ. */
export function sentencesOf({ kinds, answers, tests, times }: Condition): string[] {
  return [
    ...kinds.flatMap((key) => {
      const { a, b } = answers[key] ?? { a: {}, b: {} };
      const asked = ASKED.get(key) ?? key;
      return [
        ...alone(b, a).map((value) => `${asked}: '${value}' ×${b[value]}, an answer the baseline never gave`),
        ...alone(a, b).map((value) => `${asked}: '${value}' no longer, which the baseline gave ×${a[value]}`),
      ];
    }),
    ...tests
      .filter(({ significant }) => significant)
      .map(
        ({ of, a, b, adjusted }) =>
          `${of}: ${b.events} of ${b.trials}, in the baseline ${a.events} of ${a.trials} (Fisher, corrected p ${(adjusted ?? 1).toPrecision(2)})`,
      ),
    ...times
      .filter(({ differs }) => differs)
      .map(
        ({ of, a, b }) => `${of}: median ${secondsText(b.p50)} s, in the baseline ${secondsText(a.p50)} s`,
      ),
  ];
}

function alone(one: Tally, other: Tally): string[] {
  return Object.keys(one).filter((value) => !(value in other));
}
