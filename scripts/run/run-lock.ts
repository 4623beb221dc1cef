/** One command at a time writes into a run's folder; another is told which one it is. */
import { existsSync, rmdirSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type LockOwner, lockOwner, type ReleaseLock, takeLock } from "../base/file-lock.ts";
import { UserError } from "../base/user-error.ts";

const LOCK_FILE = "run.lock";

/** The folder is another run's, or another command works in it. */
export class FolderTakenError extends UserError {}

/**
 * Takes a run's folder for this process. `shown` is how the user knows it, `advice` what to do when somebody else has it.
 *
 * @throws FolderTakenError
 */
export async function lockRun(folder: string, shown: string, advice: string): Promise<ReleaseLock> {
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`cannot make the folder '${shown}': ${error.code}; name another one with --traces`);
  });
  const taken = await takeLock(join(folder, LOCK_FILE)).catch((error: unknown) => {
    if (existsSync(folder)) throw error;
    return null;
  });
  // Whoever had it before has just given it back and removed the folder, which was empty.
  if (taken === null) return lockRun(folder, shown, advice);
  if ("owner" in taken) throw new FolderTakenError(`${inUse(shown, taken.owner)}; ${advice}`);
  return () => {
    taken.release();
    removeEmpty(folder);
  };
}

/**
 * The same for a run that is new: it never adds to the folder of another.
 *
 * @throws FolderTakenError also where there is a run already.
 */
export async function lockNewRun(folder: string, shown: string): Promise<ReleaseLock> {
  const release = await lockRun(folder, shown, "give another --run-id");
  const others = (await readdir(folder)).filter((name) => name !== LOCK_FILE);
  if (others.length === 0) return release;
  release();
  throw new FolderTakenError(`there is already a run in '${shown}'; give another --run-id`);
}

/** Who carries out the run in a folder, in a sentence's words; null while nobody does. Changes nothing. */
export function whoRuns(folder: string, shown: string): string | null {
  const owner = lockOwner(join(folder, LOCK_FILE));
  return owner === null ? null : inUse(shown, owner);
}

function inUse(shown: string, { pid, since }: LockOwner): string {
  return `process ${pid} has been carrying out the run in '${shown}' since ${since}`;
}

/** A run that left nothing leaves no folder either. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something lies in it.
  }
}
