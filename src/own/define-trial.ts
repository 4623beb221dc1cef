/**
 * What a user writes down about her own Worker, in `recovery.config.ts` beside her `wrangler.jsonc`. Its functions run in her
 * Worker, as a client of it; everything else is plain data.
 *
 * Leaves to others: what the data may be (trial-definition.ts), and running it (own-worker.ts).
 */
import type { WrittenTrial } from "./trial-definition.ts";

/** Gives back what it is given, so that an editor knows its shape. */
export function defineTrial<Env = unknown>(trial: WrittenTrial<Env>): WrittenTrial<Env> {
  return trial;
}
