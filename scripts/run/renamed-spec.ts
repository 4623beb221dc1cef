/** A trial's spec made into that of another trial, which shares nothing with it: what bears the trial's name bears the new one. */
import type { TrialSpec } from "../../src/trace/spec.ts";

export function renamedSpec(spec: TrialSpec, trial: string): TrialSpec {
  const renamed = (text: string) => text.replaceAll(spec.trial, trial);
  return {
    ...spec,
    trial,
    intended: spec.intended.map((one) => ({
      ...one,
      action: renamed(one.action),
      key: one.key === null ? null : renamed(one.key),
    })),
    operationId: renamed(spec.operationId),
    probeId: renamed(spec.probeId),
    marker: renamed(spec.marker),
  };
}
