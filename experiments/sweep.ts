/**
 * What a sweep of one subject rests on: a turn that nobody disturbs, whose writes are counted, and the points that have names, to
 * find them among the writes. The losses at the writes themselves are planned when they are counted.
 */
import type { KnownSubject } from "../src/harnesses/index.ts";
import { Experiment } from "./experiment-schema.ts";
import type { MatrixFactors } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

export const SWEEP = "sweep";

/** The points with a name that one loss of an object comes to, in the order of a turn. */
export const NAMED_POINTS = [
  "accepted",
  "model-request",
  "model-stream",
  "before-commit",
  "after-commit",
  "after-receipt",
  "after-answer",
] as const;

/** Swept beside the subject: it runs its tool again where a call was open, and nowhere else, so its window is known. */
export const SWEPT_CANARY = "canary-replay" satisfies KnownSubject;

export type SweepLevels = Pick<MatrixFactors, "policy" | "destination">;

export function sweepOf(subject: KnownSubject, { policy, destination }: SweepLevels): Experiment {
  return Experiment.parse({
    name: SWEEP,
    title: `Every crash point of a turn of ${subject}`,
    description: "Counts the durable writes of a turn, then loses the object at each of them.",
    defaults: { ...USUAL_TRIAL, subject, policy, destination },
    blocks: [
      { name: "counting", levels: { point: "none", reset: "none", resets: 0 }, expect: [] },
      { name: "named-points", levels: { point: NAMED_POINTS }, expect: [] },
    ],
    canaries: [
      { levels: { subject: SWEPT_CANARY, point: "none", reset: "none", resets: 0 }, verdict: { effects: 1 } },
    ],
  });
}
