/**
 * Model calls and tokens of a trial on average, and what a condition used beyond its paired baseline: the trials of the
 * same run in which nothing was reset, with the same subject, host and destination.
 */
import type { Verdict } from "../reconcile/verdict.ts";
import { byCodeUnit } from "../trace/by-code-unit.ts";
import type { Factors } from "../trace/spec.ts";
import type { ConditionSummary } from "./summary.ts";

type Usage = ConditionSummary["usage"];
type Beyond = ConditionSummary["beyondBaseline"];
type PerTrial = NonNullable<Usage>["perTrial"];

const FIELDS = ["modelCalls", "titleCalls", "inputTokens", "outputTokens"] as const;

export function summarizeUsage(verdicts: readonly Verdict[]): Usage {
  const apart = verdicts.flatMap(({ usage, findings }) =>
    usage === null || findings.some(({ code }) => code === "probe-usage-mixed") ? [] : usage,
  );
  if (apart.length === 0) return null;
  const mean = (field: keyof PerTrial) => apart.reduce((sum, usage) => sum + usage[field], 0) / apart.length;
  return { perTrial: perField(mean), trials: apart.length, mixed: verdicts.length - apart.length };
}

/** Puts what each condition used beyond its baseline beside what it used. */
export function beyondBaseline(own: ConditionSummary, all: readonly ConditionSummary[]): Beyond {
  const { factors, usage } = own;
  if (factors === null || usage === null || factors.reset === "none") return null;
  const [baseline] = all
    .filter((one) => isBaselineOf(one, factors))
    .sort((a, b) => likeness(b, factors) - likeness(a, factors) || byCodeUnit(a.condition, b.condition));
  const base = baseline?.usage ?? null;
  if (baseline === undefined || base === null) return null;
  return {
    baseline: baseline.condition,
    baselineTrials: base.trials,
    perTrial: perField((field) => usage.perTrial[field] - base.perTrial[field]),
  };
}

function isBaselineOf({ factors, canary, usage }: ConditionSummary, wanted: Factors): boolean {
  if (factors === null || usage === null || canary) return false;
  return (
    factors.point === "none" &&
    factors.reset === "none" &&
    factors.subject === wanted.subject &&
    factors.host === wanted.host &&
    factors.destination === wanted.destination
  );
}

/** In how many of the factors that matter without a reset a baseline agrees. */
function likeness({ factors }: ConditionSummary, wanted: Factors): number {
  return (["key", "policy"] as const).filter((factor) => factors?.[factor] === wanted[factor]).length;
}

function perField(value: (field: keyof PerTrial) => number): PerTrial {
  return Object.fromEntries(FIELDS.map((field) => [field, value(field)])) as PerTrial;
}
