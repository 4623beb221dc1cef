/**
 * What the shapes alone cannot tell about a matrix: levels that contradict each other, two conditions of one name,
 * an expectation that applies to nothing or of which two apply. Each complaint is put on the value to change.
 */
import type { z } from "zod";
import { SUBJECTS } from "../src/harnesses/index.ts";
import { contradictionIn } from "../src/trace/combinations.ts";
import { conditionsOf, cross, matches } from "./conditions.ts";
import type { ExperimentShape, MatrixFactors } from "./shape.ts";

type Matrix = Pick<ExperimentShape, "defaults" | "blocks" | "canaries">;
type Context = z.core.$RefinementCtx<Matrix>;
type Path = (string | number)[];

export function complainAboutMatrix(experiment: Matrix, context: Context): void {
  const complain = (path: Path, message: string) => void context.addIssue({ code: "custom", path, message });
  const { defaults } = experiment;
  experiment.blocks.forEach((block, index) => {
    const conditions = cross(defaults, block.levels);
    const path: Path = ["blocks", index];
    complainAboutLevels(conditions, false, (message) => complain([...path, "levels"], message));
    block.expect.forEach((rule, ruleIndex) => {
      const own = conditions.filter((factors) => matches(factors, rule.when));
      if (own.length === 0)
        complain([...path, "expect", ruleIndex, "when"], "no condition of this block has these levels");
      const earlier = block.expect.slice(0, ruleIndex);
      if (own.some((factors) => earlier.some(({ when }) => matches(factors, when))))
        complain(
          [...path, "expect", ruleIndex, "when"],
          "an earlier expectation applies to the same condition",
        );
    });
  });
  experiment.canaries.forEach((canary, index) => {
    complainAboutLevels(cross(defaults, canary.levels), true, (message) =>
      complain(["canaries", index, "levels"], message),
    );
  });
  const names = conditionsOf(experiment).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) complain(["blocks"], `two conditions are called '${twice}'`);
}

function complainAboutLevels(
  conditions: readonly MatrixFactors[],
  canary: boolean,
  complain: (message: string) => void,
): void {
  const some = (test: (factors: MatrixFactors) => boolean) => conditions.some(test);
  const contradiction = conditions
    .map((factors) => contradictionIn(factors, SUBJECTS[factors.subject]))
    .find((sentence) => sentence !== null);
  if (contradiction !== undefined) complain(contradiction);
  if (some(({ subject }) => SUBJECTS[subject].canary !== canary))
    complain(
      canary ? "a canary condition needs a canary subject" : "canary subjects belong under 'canaries'",
    );
}
