/**
 * The shape of an experiment: a declared matrix of levels, with the verdict that its author expects of each family of
 * conditions.
 *
 * Leaves to others: whether the levels make sense together (matrix-complaints.ts), crossing them (conditions.ts).
 */
import { z } from "zod";
import { KnownSubject } from "../src/harnesses/index.ts";
import { Expectation } from "../src/reconcile/expectation.ts";
import { Sabotage } from "../src/trace/levels.ts";
import { Factors } from "../src/trace/spec.ts";
import { CLAIMS, type ClaimName } from "./claims.ts";

/**
 * What a matrix may vary, of the subjects that are there. Host and model are the run's choice, so that one experiment can
 * be compared between hosts and between models; which writes there are is known only when a turn was counted.
 */
export const MatrixFactors = Factors.omit({ host: true, model: true, write: true }).extend({
  subject: KnownSubject,
});
export type MatrixFactors = z.infer<typeof MatrixFactors>;
export type Factor = keyof MatrixFactors;
export const FACTORS = Object.keys(MatrixFactors.shape) as Factor[];

/** As the author writes them: one level, or several to cross. */
type WrittenLevels = { readonly [F in Factor]?: MatrixFactors[F] | readonly MatrixFactors[F][] };
/** As everything else reads them: always a list. */
export type Levels = { [F in Factor]?: MatrixFactors[F][] | undefined };

// Built from the list of factors, which loses the type of each; the cast gives it back.
const Levels = z.strictObject(
  Object.fromEntries(FACTORS.map((factor) => [factor, severalOf(MatrixFactors.shape[factor]).optional()])),
) as unknown as z.ZodType<Levels>;

const Rule = z.strictObject({
  /** Levels that a condition must have for the expectation to apply; none for every condition of the block. */
  when: Levels,
  verdict: Expectation,
});

const Block = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, "use a-z, 0-9 and '-', starting with a letter"),
  levels: Levels,
  /** What the trials of this block break in the kit, to show that a gate notices. */
  sabotage: Sabotage.default("none"),
  expect: z.array(Rule),
  /** Promises of the subjects that its conditions put to the test (claims.ts). */
  claims: z.array(z.enum(Object.keys(CLAIMS) as ClaimName[])).default([]),
});

export const ExperimentShape = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, "use a-z, 0-9 and '-', starting with a letter"),
  title: z.string().min(1).max(120),
  description: z.string().min(1).max(2_000),
  /** The level of every factor that a block does not name. */
  defaults: MatrixFactors,
  blocks: z.array(Block).min(1),
  /** Deliberately broken subjects, one condition each. A run in which one of them passes says nothing. */
  canaries: z.array(z.strictObject({ levels: Levels, verdict: Expectation })),
});
export type ExperimentShape = z.infer<typeof ExperimentShape>;

/** An expectation as it stands in a file: its lists may be constants. */
type WrittenExpectation = {
  readonly [Axis in keyof Expectation]: Expectation[Axis] extends (infer Word)[] | undefined
    ? readonly Word[] | undefined
    : Expectation[Axis];
};

/** An experiment as it stands in its file. */
export type WrittenExperiment = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly defaults: MatrixFactors;
  readonly blocks: readonly {
    readonly name: string;
    readonly levels: WrittenLevels;
    readonly sabotage?: Sabotage;
    readonly expect: readonly { readonly when: WrittenLevels; readonly verdict: WrittenExpectation }[];
    readonly claims?: readonly ClaimName[];
  }[];
  readonly canaries: readonly { readonly levels: WrittenLevels; readonly verdict: WrittenExpectation }[];
};

function severalOf(level: z.ZodType): z.ZodType {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(level).min(1));
}
