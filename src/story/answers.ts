/**
 * A verdict as a list of answers that are all of one form, whatever an axis's own answer looks like: the words, the sentence
 * behind them, and the records that decide. Leaves to others: how they are laid out.
 */
import { AXES } from "../reconcile/axes/index.ts";
import { explainAnswer } from "../reconcile/explain.ts";
import type { Verdict } from "../reconcile/verdict.ts";

export type Answered = {
  /** The axis's name. */
  readonly axis: string;
  readonly words: string;
  /** Why: a sentence, or null where the words say it all. */
  readonly why: string | null;
  /** `seq`s of the records that decide it, ascending. */
  readonly evidence: readonly number[];
};

export function answersOf(verdict: Verdict): Answered[] {
  return AXES.flatMap((axis) =>
    axis.said(verdict[axis.name] as never).map(({ words, code, evidence }) => ({
      axis: axis.name,
      words,
      why: code === null ? null : whyOf(code, verdict),
      evidence,
    })),
  );
}

export function attributionOf(verdict: Verdict): Answered {
  const { value, code, evidence } = verdict.attribution;
  return { axis: "attribution", words: value, why: whyOf(code, verdict), evidence };
}

/** What made the trial invalid is told once, with its facts, and not with each answer that it leaves open. */
function whyOf(code: Parameters<typeof explainAnswer>[0], { validity }: Verdict): string {
  return validity.reasons.some((reason) => reason.code === code)
    ? "The trial is invalid."
    : explainAnswer(code);
}
