/**
 * A user's own Worker (`src/own/`): the objects of one of her classes, followed from outside. Where it runs, its storage and its
 * client are told by her configuration; what is read of the storage is what any layout of the kit's subjects knows.
 */
import { lifecycleJobs } from "../lifecycle-jobs.ts";
import type { SubjectTraits } from "../subject-traits.ts";
import { agentStore } from "./agent-layout.ts";

export const own = {
  runs: "object",
  host: "none",
  worker: "own",
  canary: false,
  onDemand: false,
  variantOf: null,
  storedSession: "unknown",
  layouts: [lifecycleJobs, agentStore],
} as const satisfies SubjectTraits;
