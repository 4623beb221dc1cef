/**
 * The levels of the factor `drill`: what an operator does with a job of which nothing is at hand but its job record. A new
 * drill is a row here and its acts in `src/controller/drills.ts`, which does not compile without them.
 *
 * Leaves to others: what is lost beforehand (the factors `reset` and `target`), and what is to come of it (experiments).
 */
import { z } from "zod";

type DrillTraits = {
  /** What is done, in words. */
  readonly does: string;
  /** Whether it asks the session for new work. */
  readonly followsUp: boolean;
  /** Whether the session's events are followed when the reset comes, and again afterwards. */
  readonly followsEvents: boolean;
  /** Whether each request is handed in a second time while it is on its way. */
  readonly asksTwice: boolean;
  /** What is to be gone when it is over. */
  readonly clears: readonly ("executor" | "snapshots" | "session-record")[];
};

const ASKS = { followsUp: true, followsEvents: false, asksTwice: false, clears: [] } as const;
const ENDS = { ...ASKS, followsUp: false } as const;

export const DRILLS = {
  "follow-up": { ...ASKS, does: "takes the job up again and asks for more" },
  "event-stream": {
    ...ASKS,
    followsEvents: true,
    does: "follows the session's events, and once more after they were cut off",
  },
  "same-request": { ...ASKS, asksTwice: true, does: "hands each request in twice at the same time" },
  end: {
    ...ENDS,
    clears: ["executor", "snapshots"],
    does: "brings the job to a terminal state, stops its executor and clears its snapshots",
  },
  "delete-record-first": {
    ...ENDS,
    clears: ["executor", "snapshots", "session-record"],
    does: "deletes the session's record, and then what ran for it",
  },
  "delete-executor-first": {
    ...ENDS,
    clears: ["executor", "snapshots", "session-record"],
    does: "deletes what ran for the session, and then its record",
  },
} as const satisfies Record<string, DrillTraits>;

export type Drill = keyof typeof DRILLS;
export const Drill = z.enum(Object.keys(DRILLS) as Drill[]);

export function drillTraits(drill: Drill): DrillTraits {
  return DRILLS[drill];
}
