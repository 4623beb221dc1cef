/**
 * A plan of an experiment made into one of an upgrade: each condition under the first set, under the second, in flight from
 * the first to the second, and back. Pure, as the plan that it is made of.
 *
 * Only a kill of the process can become an upgrade in mid-turn; other conditions are run under each set alone. Canaries show
 * once, under the second set, that the judge convicts.
 */

import { subjectTraits } from "../../src/harnesses/index.ts";
import { conditionUnder, WAYS, type Way } from "../../src/summarize/upgrade-ways.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { slotOf } from "./make-plan.ts";
import { renamedSpec } from "./renamed-spec.ts";
import type { RunPlan } from "./run-plan.ts";

export type UpgradePair = { readonly from: string; readonly to: string };

export function upgradePlan(plan: RunPlan, pair: UpgradePair): RunPlan {
  const specs = WAYS.flatMap((way) => plan.specs.flatMap((spec) => specOf(spec, way, pair) ?? []));
  return { ...plan, specs };
}

/** Whether the condition can be carried over from one set to another. */
export function isInFlight({ factors, canary }: Pick<TrialSpec, "factors" | "canary">): boolean {
  return !canary && factors.reset === "kill" && factors.resets === 1;
}

/** An older server may take minutes until it is up or has failed for the last time, and most of one until its first turn. */
function serverBounds(bounds: TrialSpec["bounds"]): TrialSpec["bounds"] {
  return { ...bounds, arriveMs: bounds.arriveMs * 3, resetMs: bounds.resetMs * 5 };
}

function specOf(spec: TrialSpec, way: Way, { from, to }: UpgradePair): TrialSpec | null {
  const crosses = way === "in-flight" || way === "back";
  if (crosses ? !isInFlight(spec) : spec.canary && way !== "under-b") return null;
  const [before, after] = {
    "under-a": [from, from],
    "under-b": [to, to],
    "in-flight": [from, to],
    back: [to, from],
  }[way] as [string, string];
  const factors = crosses ? { ...spec.factors, reset: "upgrade" as const } : spec.factors;
  const trial = `${spec.trial}-${way}`;
  return {
    ...renamedSpec(spec, trial),
    condition: conditionUnder(spec.condition, way),
    factors,
    bounds: subjectTraits(spec.factors.subject).runs === "process" ? serverBounds(spec.bounds) : spec.bounds,
    slot: `${way}-${slotOf(factors)}`,
    sets: { before, after },
  };
}
