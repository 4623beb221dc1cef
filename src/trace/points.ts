/**
 * What is true of each point, for whoever brings a trial there, and whoever judges whether it came there. A new point is a
 * level (levels.ts), a row here, and where it is reached by more than a hold, its part in `src/controller/points.ts`.
 */
import type { Point } from "./levels.ts";

/** Places where the ledger or the model holds a request. */
type HoldPlace = Exclude<
  Point,
  "none" | "after-sync" | "after-answer" | "during-recovery" | "accepted" | "queued" | "write"
>;

type PointTraits = {
  /** Where the request is held that makes the point; null where the point is no hold, or several. */
  readonly held: HoldPlace | null;
  /** Of an executor apart from the object: whether what it wrote in the turn is stored. Null where that is open. */
  readonly files: "stored" | "not-stored" | null;
  /** Whether a trial can come to it once only. */
  readonly once: boolean;
  /** Whether it speaks of an executor apart from the object. */
  readonly needsExecutor: boolean;
};

const IN_THE_TURN = { files: "not-stored", once: false, needsExecutor: false } as const;
const BETWEEN = { held: null, files: null, needsExecutor: false } as const;

export const POINTS: Readonly<Record<Point, PointTraits>> = {
  none: { ...BETWEEN, once: false },
  "model-request": { ...IN_THE_TURN, held: "model-request" },
  "model-stream": { ...IN_THE_TURN, held: "model-stream" },
  "before-commit": { ...IN_THE_TURN, held: "before-commit" },
  "after-commit": { ...IN_THE_TURN, held: "after-commit" },
  // The same place, so much later that the files are stored.
  "after-sync": { held: "after-commit", files: "stored", once: false, needsExecutor: true },
  "after-receipt": { ...IN_THE_TURN, held: "after-receipt" },
  "after-answer": { ...BETWEEN, once: true },
  "during-recovery": { ...BETWEEN, once: false },
  // A request of the model is kept where one comes, and the point does not wait for it.
  accepted: { ...BETWEEN, once: true },
  // It is what stands before it that is held, for as long as `after-sync`: its thread must not be lost with its executor.
  queued: { held: "model-request", files: "stored", once: true, needsExecutor: true },
  // The object itself ends there, so nothing is held.
  write: { ...BETWEEN, once: true },
};

/** Where an agent can be lost whose model nobody holds. */
export const AGENT_POINTS = [
  "before-commit",
  "after-commit",
  "after-receipt",
] as const satisfies readonly Point[];
export type AgentPoint = (typeof AGENT_POINTS)[number];
