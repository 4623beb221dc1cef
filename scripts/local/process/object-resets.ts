/** Resets of one object in a process that stays: one entry for each row of `RESETS` that leaves them to the runner. */
import type { ObjectReset } from "../../../src/trace/resets.ts";

/** The object, as the local runtime reaches it. */
type ReachedObject = {
  /** Evicts it once it is idle. @throws with the runtime's own words when it refuses. */
  evict(): Promise<void>;
};

type ObjectPerformer = {
  /** What is done, in words. */
  readonly mechanism: string;
  /** @throws when it was refused, with the reason. */
  readonly perform: (object: ReachedObject) => Promise<void>;
};

export const OBJECT_RESETS: Readonly<Record<ObjectReset, ObjectPerformer>> = {
  evict: { mechanism: "eviction of the idle object", perform: (object) => object.evict() },
};
