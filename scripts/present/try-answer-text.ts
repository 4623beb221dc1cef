/** What trying somebody's agent comes to, as text. */
import { printable } from "../base/printable.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { readTrace } from "../stored/read-trace.ts";
import type { Page } from "./page.ts";
import type { TriedTrial, TryAnswer } from "./try-answer.ts";
import { wrap } from "./wrap.ts";

export function triedTrials({ trials }: JudgedRun): TriedTrial[] {
  return trials.flatMap(({ spec, verdict, path }) =>
    spec === null ? [] : { spec, verdict, records: readTrace(path).records },
  );
}

export function answerText({ trials, sentences, controls }: TryAnswer, { width }: Page): string {
  return [
    ...trials.flatMap(({ line }) => wrap(printable(line), width)),
    "",
    ...wrap(printable(sentences.join(" ")), width),
    ...wrap(printable(controls), width),
  ].join("\n");
}
