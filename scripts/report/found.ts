/** What was found in a run, as the sentences of one paragraph. Counts only, canaries left out of the three answers. Pure. */
import type { ConditionSummary, Summary } from "../../src/summarize/summary.ts";
import type { Rate } from "../../src/trace/counts.ts";
import { type Totals, totalsLine } from "../present/totals.ts";

export type Found = {
  readonly summary: Summary;
  readonly totals: Totals;
  /** Distinct sets of answers, canaries left out. */
  readonly groups: number;
  readonly acquitted: readonly string[];
};

export function foundSentences({ summary, totals, groups, acquitted }: Found): string[] {
  const own = summary.conditions.filter(({ canary }) => !canary);
  const canaries = summary.conditions.filter(({ canary }) => canary);
  const { resets, clusters } = summary.totals;
  const answering = own.filter(({ valid }) => valid > 0).length;
  return [
    totalsLine(totals),
    ...(resets === 0 ? [] : [`${many(resets, "reset")} by ${many(clusters, "act")}.`]),
    ...(answering === 0
      ? ["No condition has a valid trial, so nothing was found."]
      : [
          `${many(answering, "condition")} gave ${groups === 1 ? "one and the same set of answers" : `${groups} distinct sets of answers`}.`,
          threeAnswers(own),
        ]),
    ...(canaries.length === 0
      ? ["The run has no canary, so nothing shows that the judge convicts what is broken."]
      : acquitted.length === 0
        ? [
            canaries.length === 1
              ? "The canary was convicted."
              : `All ${canaries.length} canaries were convicted.`,
          ]
        : [`Not convicted: ${acquitted.join(", ")}. Nothing in this run is to be believed.`]),
  ];
}

function threeAnswers(own: readonly ConditionSummary[]): string {
  const share = (read: (one: ConditionSummary) => Rate) => {
    const all = own.map(read);
    return `${sum(all, ({ events }) => events)} of ${sum(all, ({ trials }) => trials)}`;
  };
  const effects = (read: (one: ConditionSummary) => Rate) => sum(own.map(read), ({ events }) => events);
  const decided = sum(own, (one) => one.effects.duplicates.trials);
  return (
    `The session was restored in ${share(({ session }) => session.restored)} trials that decide it, ` +
    `the execution resumed in ${share(({ execution }) => execution.resumed)}; ` +
    `of ${decided} whose effects are decided, ${effects((one) => one.effects.duplicates)} made a duplicate, ` +
    `${effects((one) => one.effects.lost)} lost an effect and ${effects((one) => one.effects.unresolved)} ended unresolved.`
  );
}

function many(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
