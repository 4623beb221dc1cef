/** How much of an experiment a run has, so that nobody takes a part of the matrix for the whole. */
import type { Condition } from "../../experiments/conditions.ts";

/**
 * One line where conditions of the experiment are missing from the plan; none for the whole, for a single trial, and
 * where the experiment is not known.
 */
export function coverageLines(
  planned: readonly { readonly condition: string }[],
  declared: readonly Condition[],
): string[] {
  const names = new Set(planned.map(({ condition }) => condition));
  const kept = declared.filter(({ name }) => names.has(name)).length;
  if (planned.length <= 1 || kept === declared.length) return [];
  return [`${kept} of the experiment's ${declared.length} conditions: not the whole matrix`];
}
