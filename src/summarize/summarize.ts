/**
 * Verdicts of a run in, its summary out. Pure, and independent of the order in which the trials come.
 *
 * What the numbers are worth is part of them: the resets beside the trials, the invalid beside the valid, and what
 * differed between trials that a scripted model would otherwise make copies of each other.
 */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import type { Environment, HostIdentity, TrialSpec } from "../trace/spec.ts";
import { caveatOf } from "./caveat.ts";
import { actsOf } from "./clusters.ts";
import { type JudgedTrial, summarizeCondition } from "./condition.ts";
import { environmentOf } from "./environments.ts";
import { SUMMARY_SCHEMA, type Summary } from "./summary.ts";
import { beyondBaseline } from "./usage-summary.ts";

export type RunToSummarize = {
  readonly run: string;
  readonly experiment: string | null;
  readonly host: HostIdentity | null;
  readonly trials: readonly (JudgedTrial & { readonly environment: Environment | null })[];
  /** Planned trials that left no trace. */
  readonly missing: readonly { readonly condition: string; readonly canary: boolean }[];
};

/** Stands for the condition of trials whose traces do not tell it. */
export const UNREADABLE = "(condition unreadable)";

export function summarize(run: RunToSummarize): Summary {
  const trials = [...run.trials].sort((a, b) => byCodeUnit(nameOf(a), nameOf(b)));
  const groups = Map.groupBy(trials, ({ verdict }) => verdict.condition ?? UNREADABLE);
  const missing = Map.groupBy(run.missing, ({ condition }) => condition);
  const counted = [...new Set([...groups.keys(), ...missing.keys()])].sort(byCodeUnit).map((name) => ({
    ...summarizeCondition(name, groups.get(name) ?? [], missing.get(name) ?? []),
    beyondBaseline: null,
  }));
  const conditions = counted.map((one) => ({ ...one, beyondBaseline: beyondBaseline(one, counted) }));
  const verdicts = trials.map(({ verdict }) => verdict);
  const valid = verdicts.filter(({ validity }) => validity.value === "valid");
  return {
    schema: SUMMARY_SCHEMA,
    run: run.run,
    experiment: run.experiment,
    host: run.host,
    caveat: caveatOf(run.host, trials),
    environment: environmentOf(trials),
    totals: {
      trials: trials.length + run.missing.length,
      missing: run.missing.length,
      valid: valid.length,
      invalid: trials.length - valid.length,
      resets: valid.reduce((sum, { resets }) => sum + resets.length, 0),
      clusters: actsOf(valid).size,
    },
    varied: variedOver(trials.flatMap(({ spec }) => spec ?? [])),
    conditions: [...conditions.filter(({ canary }) => !canary), ...conditions.filter(({ canary }) => canary)],
  };
}

function variedOver(specs: readonly TrialSpec[]): Summary["varied"] {
  const reset = specs.filter(({ factors }) => factors.reset !== "none");
  const sizes = [...Map.groupBy(specs, ({ condition }) => condition).values()].map(({ length }) => length);
  return {
    seeds: [...new Set(specs.map(({ seed }) => seed))].sort((a, b) => a - b),
    repeats: Math.max(0, ...sizes),
    resetDelayMs: rangeOf(reset.map(({ resetDelayMs }) => resetDelayMs)),
    loadPerSecond: rangeOf(specs.map(({ loadPerSecond }) => loadPerSecond)),
  };
}

function rangeOf(values: readonly number[]): Summary["varied"]["resetDelayMs"] {
  if (values.length === 0) return null;
  return { min: Math.min(...values), max: Math.max(...values), distinct: new Set(values).size };
}

function nameOf({ verdict }: JudgedTrial): string {
  return verdict.trial ?? "";
}
