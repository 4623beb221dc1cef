/**
 * Finds scratch folders whose process is gone and whose keeper did not see to them (both were killed, or the machine went
 * down), with the processes entered in them that still run, and clears them away.
 */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { lockOwner, takeLock } from "../../base/file-lock.ts";
import type { ProcessIdentity } from "../../base/process-identity.ts";
import { clearScratch, LOCK_FILE, runningIn, SCRATCH_PREFIX } from "./scratch-folder.ts";

export type Leftover = { readonly folder: string; readonly running: readonly ProcessIdentity[] };

/** Changes nothing. `temporary`: where the folders lie. */
export async function findLeftovers(temporary: string): Promise<Leftover[]> {
  const names = (await readdir(temporary)).filter((name) => name.startsWith(SCRATCH_PREFIX));
  return names
    .map((name) => join(temporary, name))
    .filter((folder) => existsSync(join(folder, LOCK_FILE)) && lockOwner(join(folder, LOCK_FILE)) === null)
    .map((folder) => ({ folder, running: runningIn(folder) }));
}

/** Returns what it cleared away. A folder that another command sees to at this moment is left to it. */
export async function clearLeftovers(temporary: string): Promise<Leftover[]> {
  const cleared: Leftover[] = [];
  for (const leftover of await findLeftovers(temporary)) {
    const lock = join(leftover.folder, LOCK_FILE);
    const taken = await takeLock(lock).catch(() => null);
    if (taken === null || "owner" in taken) continue;
    // One whose processes do not end stays, and is found again.
    if ((await clearScratch(leftover.folder).catch(() => null)) !== null) cleared.push(leftover);
    taken.release();
  }
  return cleared;
}
