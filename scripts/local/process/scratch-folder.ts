/** What lies in a scratch folder (scratch.ts) besides what is put there, and how all of it goes. */
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { z } from "zod";
import { endAtOnce, untilGone } from "../../base/end-processes.ts";
import { isRunning, ProcessIdentity } from "../../base/process-identity.ts";

export const SCRATCH_PREFIX = "recovery-kit-";
/** Held by the process that the folder belongs to, as long as that lives. */
export const LOCK_FILE = "owner.lock";
/** Every process that was started from there, one a line. */
export const PROCESSES_FILE = "processes.jsonl";
/** Folders elsewhere that go with it, one a line: on another file system, where there is one in memory. */
export const FOLDERS_FILE = "folders.jsonl";

/** How long a process that was killed may take to be gone. */
const GONE_MS = 5_000;

/** Those that are still there of the processes entered in a folder. */
export function runningIn(folder: string): ProcessIdentity[] {
  const path = join(folder, PROCESSES_FILE);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").flatMap(entered).filter(isRunning);
}

/**
 * Ends those processes with all of their groups, and removes the folder. Returns how many it ended.
 *
 * @throws when one of them stays; then the folder stays too, as the only note of it.
 */
export async function clearScratch(folder: string): Promise<number> {
  const running = runningIn(folder);
  for (const process of running) endGroup(process.pid);
  await untilGone(running, { withinMs: GONE_MS, complaint: `a process of '${folder}' does not end` });
  for (const other of foldersOf(folder)) await rm(other, { recursive: true, force: true, maxRetries: 3 });
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  return running.length;
}

/** Only what a command can have made for itself: the list lies where others may write too. */
function foldersOf(folder: string): string[] {
  const path = join(folder, FOLDERS_FILE);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => enteredFolder(line))
    .filter((other) => isAbsolute(other) && basename(other).startsWith(SCRATCH_PREFIX));
}

function enteredFolder(line: string): string[] {
  try {
    return [z.string().parse(JSON.parse(line))];
  } catch {
    // The last line, cut off when its writer was killed.
    return [];
  }
}

function entered(line: string): ProcessIdentity[] {
  try {
    return [ProcessIdentity.parse(JSON.parse(line))];
  } catch {
    // The last line, cut off when its writer was killed.
    return [];
  }
}

/** A process that was started from a scratch folder leads a group of its own. */
function endGroup(pid: number): void {
  for (const target of [-pid, pid]) endAtOnce(target);
}
