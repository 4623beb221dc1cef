/**
 * Takes a deployment down, whatever is left of it: from its state, or from the prefix alone. Each part is tried whatever
 * became of the others, and the folder goes last, as the only note of what may be left.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Deployment, ROLES, removeEmptyParents } from "./deployment.ts";
import type { Platform } from "./platform.ts";

export type TakenDown = {
  /** Workers that were there. */
  readonly removed: readonly string[];
  /** Whether there was a folder. */
  readonly folder: boolean;
};

/** @throws what the last part failed with; then the folder stays, and `down` may be tried again. */
export async function takeDown(
  deployment: Deployment,
  platforms: readonly Pick<Platform, "remove">[],
): Promise<TakenDown> {
  const removed: string[] = [];
  const failures: unknown[] = [];
  for (const platform of platforms)
    try {
      // Against the order in which they were made: nothing is left bound to what is gone.
      removed.push(...(await platform.remove(ROLES.toReversed())));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures.at(-1);
  const folder = existsSync(deployment.folder);
  await rm(deployment.folder, { recursive: true, force: true, maxRetries: 3 });
  return { removed, folder };
}

/** After the lock was given back, which lies beside the folder. */
export { removeEmptyParents };
