/** How much of an experiment a run has, so that nobody takes a part of the matrix for the whole. */
import type { Condition } from "../../experiments/conditions.ts";
import { SUBJECTS } from "../../src/harnesses/index.ts";

/**
 * One line where conditions of the experiment are missing from the plan; none for the whole, for a single trial, and
 * where the experiment is not known. A subject that runs only when it is asked for is named, and a plan without it is
 * whole.
 */
export function coverageLines(
  planned: readonly { readonly condition: string }[],
  declared: readonly Condition[],
): string[] {
  const names = new Set(planned.map(({ condition }) => condition));
  const missing = declared.filter(({ name }) => !names.has(name));
  if (planned.length <= 1 || missing.length === 0) return [];
  const onDemand = declared.filter(({ factors }) => SUBJECTS[factors.subject].onDemand);
  if (missing.length === onDemand.length && onDemand.every(({ name }) => !names.has(name))) {
    const subjects = onDemand.map(({ factors: { subject } }) => SUBJECTS[subject].variantOf ?? subject);
    return [...new Set(subjects)].map((name) => `without ${name}, which --subject ${name} adds`);
  }
  const kept = declared.length - missing.length;
  return [`${kept} of the experiment's ${declared.length} conditions: not the whole matrix`];
}
