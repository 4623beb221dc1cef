/**
 * Crosses an experiment's levels into conditions: each block's combinations, then the canaries.
 * Names do not depend on the options of a run, so that two runs of one experiment can be compared by name.
 */

import type { Sabotage } from "../src/trace/levels.ts";
import type { Expectation } from "../src/trace/spec.ts";
import { CLAIMS, type Claim, type ClaimName } from "./claims.ts";
import type { ExperimentShape, Factor, Levels, MatrixFactors } from "./shape.ts";

export type Condition = {
  /** Unique in the experiment, e.g. `opencode/after-commit/abort/append/reissue`. */
  readonly name: string;
  /** The block that it comes from, or `canaries`. */
  readonly family: string;
  readonly factors: MatrixFactors;
  readonly expect: Expectation | null;
  /** Promises of its subject that it puts to the test. */
  readonly claims: readonly ClaimName[];
  readonly canary: boolean;
  readonly sabotage: Sabotage;
  /** Factors off the experiment's default that are not part of every name. */
  readonly variants: readonly Factor[];
};

/**
 * The parts of a name, in order. Any other factor is appended where it differs from the experiment's default; the number
 * of resets where it is not one, so that conditions of two experiments have one name only where they are the same.
 */
export const NAMED: readonly Factor[] = ["subject", "point", "reset", "destination", "policy"];

type Matrix = Pick<ExperimentShape, "defaults" | "blocks" | "canaries">;

export function conditionsOf(experiment: Matrix): Condition[] {
  const { defaults } = experiment;
  const ordinary = experiment.blocks.flatMap((block) =>
    cross(defaults, block.levels).map((factors) => ({
      name: nameOf(factors, defaults, block.sabotage),
      family: block.name,
      factors,
      expect: (block.expect.find((rule) => matches(factors, rule.when))?.verdict ??
        null) as Expectation | null,
      claims: block.claims.filter((claim) => speaksOf(claim, factors)),
      canary: false,
      sabotage: block.sabotage,
      variants: variantsOf(factors, defaults),
    })),
  );
  const canaries = experiment.canaries.flatMap((canary) =>
    cross(defaults, canary.levels).map((factors) => ({
      name: nameOf(factors, defaults, "none"),
      family: "canaries",
      factors,
      expect: canary.verdict as Expectation,
      claims: [],
      canary: true,
      sabotage: "none" as const,
      variants: variantsOf(factors, defaults),
    })),
  );
  return [...ordinary, ...canaries];
}

function speaksOf(claim: ClaimName, factors: MatrixFactors): boolean {
  const { subjects, when = {} }: Claim = CLAIMS[claim];
  return (
    subjects.includes(factors.subject) &&
    Object.entries(when).every(([factor, level]) => factors[factor as Factor] === level)
  );
}

/** Every combination of the given levels, over the defaults. */
export function cross(defaults: MatrixFactors, levels: Levels): MatrixFactors[] {
  let combinations: MatrixFactors[] = [defaults];
  for (const [factor, values] of Object.entries(levels)) {
    if (values === undefined) continue;
    combinations = combinations.flatMap((chosen) => values.map((value) => ({ ...chosen, [factor]: value })));
  }
  return combinations;
}

/** Whether a condition has, for every factor named, one of the levels listed. */
export function matches(factors: MatrixFactors, levels: Levels): boolean {
  return Object.entries(levels).every(
    ([factor, values]) => values?.some((value) => value === factors[factor as Factor]) ?? true,
  );
}

function nameOf(factors: MatrixFactors, defaults: MatrixFactors, sabotage: Sabotage): string {
  return [
    ...NAMED.map((factor) => factors[factor]),
    ...shownIn(factors, defaults).map((factor) => `${factor}=${factors[factor]}`),
    ...(sabotage === "none" ? [] : [`sabotage=${sabotage}`]),
  ].join("/");
}

function shownIn(factors: MatrixFactors, defaults: MatrixFactors): Factor[] {
  return (Object.keys(factors) as Factor[]).filter((factor) =>
    factor === "resets"
      ? factors.resets !== 1 && factors.reset !== "none"
      : variantsOf(factors, defaults).includes(factor),
  );
}

function variantsOf(factors: MatrixFactors, defaults: MatrixFactors): Factor[] {
  return (Object.keys(factors) as Factor[]).filter(
    (factor) =>
      !NAMED.includes(factor) &&
      factors[factor] !== defaults[factor] &&
      // Implied by `reset: none`, which is part of the name.
      !(factor === "resets" && factors.reset === "none"),
  );
}
