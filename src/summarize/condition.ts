/** All trials of one condition in, its counts out. Invalid trials are counted by reason and enter nothing else. */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import type { TrialSpec } from "../trace/spec.ts";
import type { ConditionSummary, Rate, Tally } from "../trace/summary.ts";
import type { Verdict } from "../trace/verdict.ts";
import { actsOf, clustersOf } from "./clusters.ts";
import { rateOf } from "./rate.ts";
import { summarizeTimings } from "./timing-summary.ts";
import { summarizeUsage } from "./usage-summary.ts";

/** One judged trial; `spec` is null when its trace is too damaged to tell. */
export type JudgedTrial = { readonly verdict: Verdict; readonly spec: TrialSpec | null };

type Flag = Verdict["operations"][number]["flags"][number];

/** @param missing planned trials without a trace. */
export function summarizeCondition(
  condition: string,
  trials: readonly JudgedTrial[],
  missing: readonly { readonly canary: boolean }[],
): Omit<ConditionSummary, "beyondBaseline"> {
  const all = trials.map(({ verdict }) => verdict);
  const valid = all.filter(({ validity }) => validity.value === "valid");
  const decided = valid.filter((verdict) => !flagsOf(verdict).includes("unknown"));
  const operations = valid.flatMap((verdict) => verdict.operations);
  const flagged = (flag: Flag) => rate(decided, (verdict) => flagsOf(verdict).includes(flag));
  return {
    condition,
    canary: trials.some(({ spec }) => spec?.canary === true) || missing.some(({ canary }) => canary),
    factors: trials.find(({ spec }) => spec !== null)?.spec?.factors ?? null,
    trials: trials.length + missing.length,
    missing: missing.length,
    valid: valid.length,
    undecided: valid.length - decided.length,
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
    session: {
      values: tallyOf(valid.map(({ session }) => session.value)),
      restored: rate(
        valid.filter(({ session }) => session.value !== "unknown"),
        ({ session }) => session.value === "restored",
      ),
    },
    execution: {
      values: tallyOf(valid.map(({ execution }) => execution.value)),
      resumed: rate(
        valid.filter(({ execution }) => !["unknown", "not-interrupted"].includes(execution.value)),
        ({ execution }) => execution.value === "resumed",
      ),
    },
    effects: {
      values: tallyOf(valid.map(effectsOf)),
      intended: sum(operations, ({ intended }) => intended),
      attempts: sum(operations, ({ attempts }) => attempts),
      effects: sum(operations, ({ effects }) => effects),
      surplus: sum(operations, ({ effects, intended }) => Math.max(0, effects - intended)),
      duplicates: flagged("duplicate"),
      lost: flagged("lost"),
      unresolved: flagged("unresolved"),
    },
    completions: rate(
      valid.filter(({ executor }) => executor.value !== "unknown"),
      ({ executor }) => executor.value !== "none",
    ),
    repeats: tallyOf(valid.flatMap(({ repeats }) => repeats.map(({ cause }) => cause))),
    transcript: {
      missing: sum(valid, ({ transcript }) => transcript.missing.length),
      damaged: sum(valid, ({ transcript }) => transcript.damaged.length),
      trialsAffected: valid.filter(
        ({ transcript }) => transcript.missing.length + transcript.damaged.length > 0,
      ).length,
    },
    usage: summarizeUsage(valid),
    timings: summarizeTimings(valid),
  };
}

function rate(verdicts: readonly Verdict[], event: (verdict: Verdict) => boolean): Rate {
  return rateOf(verdicts.filter(event).length, verdicts.length, clustersOf(verdicts).length);
}

/** A trial's third answer in one word, e.g. `2/1 duplicate`. */
function effectsOf(verdict: Verdict): string {
  const effects = sum(verdict.operations, (one) => one.effects);
  const intended = sum(verdict.operations, (one) => one.intended);
  return `${effects}/${intended} ${[...new Set(flagsOf(verdict))].sort().join("+")}`;
}

function flagsOf({ operations }: Verdict): Flag[] {
  return operations.flatMap(({ flags }) => flags);
}

/** How often each word occurs, the most frequent first. */
export function tallyOf(words: readonly string[]): Tally {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, many], [b, more]) => more - many || byCodeUnit(a, b)));
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
