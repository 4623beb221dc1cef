/**
 * The two parts of a sweep as plans: first the trials that count the writes of a turn, then those that lose the object at each of
 * them, and at the points that have names. Pure.
 */
import type { TrialSpec } from "../../src/trace/spec.ts";
import type { NumberedWrite, WritePlace } from "../../src/trace/writes.ts";
import { renamedSpec } from "./renamed-spec.ts";
import type { RunPlan } from "./run-plan.ts";

/** How often a turn is counted before anything is lost: twice shows whether its writes come in one order. */
const COUNTINGS = 2;
/** A trial that nobody disturbs need not wait for long until its runtime is vouched for, in ms. */
const COUNTING_WITNESS_MS = 2_000;

/** The first part, of a plan with one trial for each condition of the sweep. */
export function countingSpecs({ specs }: RunPlan): TrialSpec[] {
  return specs
    .filter(({ factors }) => factors.point === "none")
    .flatMap((spec) =>
      Array.from({ length: COUNTINGS }, (_, index) => ({
        ...renamedSpec(spec, `${spec.run}-${spec.factors.subject}-count-${index + 1}`),
        repeat: index + 1,
        // What a canary does here is as right as anybody's.
        canary: false,
        expect: null,
        numbersWrites: true as const,
        bounds: { ...spec.bounds, canaryMs: COUNTING_WITNESS_MS },
      })),
    );
}

/** The points with a name, which tell what was written when they were reached. */
export function namedPointSpecs({ specs }: RunPlan): TrialSpec[] {
  return specs
    .filter(({ factors }) => factors.point !== "none")
    .map((spec) => ({
      ...renamedSpec(spec, `${spec.run}-${spec.factors.subject}-${spec.factors.point}`),
      numbersWrites: true as const,
    }));
}

/** Losses at the given places, of the subject that a counting trial is of. */
export function lossSpecs(
  { specs }: RunPlan,
  counted: TrialSpec,
  places: readonly WritePlace[],
): TrialSpec[] {
  const { subject, destination, policy } = counted.factors;
  const witness = specs.find(({ factors }) => factors.subject === subject) ?? counted;
  return places.map((place) => {
    const at = `${String(place.number).padStart(3, "0")}-${place.side}`;
    const { numbersWrites: _, ...spec } = renamedSpec(counted, `${counted.run}-${subject}-write-${at}`);
    return {
      ...spec,
      condition: `${subject}/write:${place.number}:${place.side}/abort/${destination}/${policy}`,
      repeat: 1,
      factors: { ...spec.factors, point: "write", write: place, reset: "abort", resets: 1 },
      bounds: witness.bounds,
    };
  });
}

/**
 * Where a turn is lost. What becomes durable together is lost and kept together, and nothing of it gets out before it is durable: so
 * two places of each commit group are all that differ, before its first write and after its last. `everyWrite`: both sides of each.
 */
export function crashPlaces(writes: readonly NumberedWrite[], everyWrite: boolean): WritePlace[] {
  return writes.flatMap(({ number, group, kind, table, nth }, index) => {
    const at = { number, kind, table, nth };
    const isFirst = writes[index - 1]?.group !== group;
    const isLast = writes[index + 1]?.group !== group;
    return [
      ...(everyWrite || isFirst ? [{ ...at, side: "before" } as const] : []),
      ...(everyWrite || isLast ? [{ ...at, side: "after" } as const] : []),
    ];
  });
}
