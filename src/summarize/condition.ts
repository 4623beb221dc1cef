/** All trials of one condition in, its counts out. Invalid trials are counted by reason and enter nothing else. */
import type { Counter } from "../reconcile/axes/axis.ts";
import { tallyOf } from "../reconcile/axes/axis.ts";
import type { Verdict } from "../reconcile/verdict.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { actsOf, clustersOf } from "./clusters.ts";
import { rateOf } from "./rate.ts";
import { type ConditionSummary, type CountedParts, countedParts } from "./summary.ts";
import { summarizeTimings } from "./timing-summary.ts";
import { summarizeUsage } from "./usage-summary.ts";

/** One judged trial; `spec` is null when its trace is too damaged to tell. */
export type JudgedTrial = { readonly verdict: Verdict; readonly spec: TrialSpec | null };

/** @param missing planned trials without a trace. */
export function summarizeCondition(
  condition: string,
  trials: readonly JudgedTrial[],
  missing: readonly { readonly canary: boolean }[],
): Omit<ConditionSummary, "beyondBaseline"> {
  const all = trials.map(({ verdict }) => verdict);
  const valid = all.filter(({ validity }) => validity.value === "valid");
  // A session without a log cannot lose events of it that anybody would know of.
  const compared = valid.filter(({ transcript }) => transcript.missing !== null);
  return {
    condition,
    canary: trials.some(({ spec }) => spec?.canary === true) || missing.some(({ canary }) => canary),
    factors: trials.find(({ spec }) => spec !== null)?.spec?.factors ?? null,
    settings: settingsOf(trials.find(({ spec }) => spec !== null)?.spec ?? null),
    trials: trials.length + missing.length,
    missing: missing.length,
    valid: valid.length,
    invalid: tallyOf(
      all
        .filter(({ validity }) => validity.value === "invalid")
        .flatMap(({ validity }) => [...new Set(validity.reasons.map(({ code }) => code))]),
    ),
    resets: {
      performed: sum(valid, ({ resets }) => resets.length),
      clusters: actsOf(valid).size,
      trialsOfLargestCluster: Math.max(0, ...clustersOf(valid).map((cluster) => cluster.length)),
    },
    ...(Object.fromEntries(
      countedParts().map(([key, part, axis]) => [
        key,
        part.of(counterOf(valid, (verdict) => verdict[axis as keyof Verdict] as never)),
      ]),
    ) as CountedParts),
    callMismatches: tallyOf(
      valid.flatMap(({ callMismatches }) =>
        callMismatches.map(
          ({ recorded, committed }) => `${recorded}, ${committed ? "with" : "without"} an effect`,
        ),
      ),
    ),
    attribution: tallyOf(valid.map(({ attribution }) => `${attribution.value}: ${attribution.code}`)),
    transcript: {
      trialsCompared: compared.length,
      missing: compared.length === 0 ? null : sum(compared, ({ transcript }) => countOf(transcript.missing)),
      damaged: compared.length === 0 ? null : sum(compared, ({ transcript }) => countOf(transcript.damaged)),
      trialsAffected: compared.filter(
        ({ transcript }) => countOf(transcript.missing) + countOf(transcript.damaged) > 0,
      ).length,
    },
    usage: summarizeUsage(valid),
    timings: summarizeTimings(valid),
  };
}

/** Counts over one axis's answers of these trials. What shares an act is one cluster. */
function counterOf<A>(verdicts: readonly Verdict[], answerOf: (verdict: Verdict) => A): Counter<A> {
  return {
    tally: (words) => tallyOf(verdicts.flatMap((verdict) => words(answerOf(verdict)))),
    sum: (value) => sum(verdicts, (verdict) => value(answerOf(verdict))),
    rate: (event, among = () => true) => {
      const counted = verdicts.filter((verdict) => among(answerOf(verdict)));
      const events = counted.filter((verdict) => event(answerOf(verdict))).length;
      return rateOf(events, counted.length, clustersOf(counted).length);
    },
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function countOf(seqs: readonly number[] | null): number {
  return seqs?.length ?? 0;
}

/** What a spec sets beside its factors, as text; the seed and what is drawn from it differ by nature. */
function settingsOf(spec: TrialSpec | null): Record<string, string> {
  if (spec === null) return {};
  const { sabotage, loadPerSecond, bounds, heartbeatMs, intended } = spec;
  const effects = intended.reduce((total, one) => total + one.effects, 0);
  const settings = {
    sabotage,
    loadPerSecond,
    heartbeatMs: heartbeatMs ?? "not recorded",
    ...bounds,
    effects,
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
