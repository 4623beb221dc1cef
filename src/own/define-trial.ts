/**
 * What a user writes down about her own agent, in `recovery.config.ts`: a Worker, beside its `wrangler.jsonc`, or a command. The
 * functions of a Worker's run in it, as a client of it; everything else is plain data.
 *
 * Leaves to others: what the data may be (trial-definition.ts, agent-definition.ts), and running it (own-worker.ts).
 */
import type { WrittenAgent } from "./agent-definition.ts";
import type { WrittenTrial } from "./trial-definition.ts";

/** Gives back what it is given, so that an editor knows its shape. */
export function defineTrial<Env = unknown>(trial: WrittenTrial<Env>): WrittenTrial<Env>;
export function defineTrial(trial: WrittenAgent): WrittenAgent;
export function defineTrial(trial: unknown): unknown {
  return trial;
}
