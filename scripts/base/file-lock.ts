/**
 * A lock that falls with its process, however that ends: SQLite's, which is the operating system's. So one that was left
 * behind is free, and of two that take it over at once one gets it. The file names its owner to those who find it locked.
 */
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { identityOf, isRunning, ProcessIdentity } from "./process-identity.ts";

const Owner = z.object({ ...ProcessIdentity.shape, token: z.string(), since: z.iso.datetime() });
export type LockOwner = z.infer<typeof Owner>;

/** Gives the lock back, and removes its file. */
export type ReleaseLock = () => void;

/** SQLite's answers while somebody else has the lock (BUSY), and when its file has been removed (READONLY_DBMOVED). */
const TAKEN = z.object({ errcode: z.literal([5, 1_032]) });
/** How long another's look at the file may hold up the owner's entry in it. */
const ENTRY_MS = 2_000;
/** How long it may take to tell who was first of those that come at the same moment. */
const UNDECIDED_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/**
 * Takes the lock, or tells who has it. The file's folder must be there.
 *
 * @throws what the system says where the file cannot be written, such as EROFS of a read-only file system.
 */
export async function takeLock(path: string): Promise<{ release: ReleaseLock } | { owner: LockOwner }> {
  const deadline = Date.now() + UNDECIDED_MS;
  const token = crypto.randomUUID();
  for (;;) {
    const release = tryLock(path, token);
    if (release !== null) return { release };
    const owner = lockOwner(path);
    if (owner !== null && owner.token !== token) return { owner };
    // Somebody is about to enter its name, or has just given the lock back.
    if (Date.now() > deadline) throw new Error(`'${path}' stays locked and does not say by whom`);
    await delay(LOOK_AGAIN_MS);
  }
}

/** The process that has the lock; null when nobody has it any more. Changes nothing. */
export function lockOwner(path: string): LockOwner | null {
  const owner = entryIn(path);
  return owner !== null && isRunning(owner) ? owner : null;
}

function tryLock(path: string, token: string): ReleaseLock | null {
  const db = openToLock(path);
  let held = false;
  try {
    if (!begin(db)) return null;
    db.exec(`PRAGMA busy_timeout = ${ENTRY_MS}`);
    db.exec("CREATE TABLE IF NOT EXISTS owner (token TEXT, pid INTEGER, startedAt TEXT, since TEXT)");
    db.exec("DELETE FROM owner");
    db.prepare("INSERT INTO owner VALUES (?, ?, ?, ?)").run(
      ...[token, process.pid, identityOf(process.pid)?.startedAt ?? "", new Date().toISOString()],
    );
    // Others can read what is written only now, and for a moment nobody has the lock.
    db.exec("COMMIT; PRAGMA busy_timeout = 0");
    // A former owner may have removed the file after it was opened here: now another one lies there, or none.
    held = begin(db) && entryIn(path)?.token === token;
    if (!held) return null;
  } catch (error) {
    if (TAKEN.safeParse(error).success) return null;
    throw error;
  } finally {
    if (!held) db.close();
  }
  return () => {
    // Removed while it is still locked, so that it is never another owner's.
    try {
      rmSync(path, { force: true });
    } catch {
      // Its folder was moved or made unwritable meanwhile: the lock falls all the same, and the file names nobody who runs.
    }
    db.close();
  };
}

/** @throws the system's own refusal, which SQLite keeps to itself: it only says that it cannot open the file. */
function openToLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    closeSync(openSync(path, "a"));
    throw error;
  }
}

/** Takes SQLite's lock for writing, under which others can still read. */
function begin(db: DatabaseSync): boolean {
  try {
    db.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (TAKEN.safeParse(error).success) return false;
    throw error;
  }
}

/** Null where nobody is entered yet. */
function entryIn(path: string): LockOwner | null {
  if (!existsSync(path)) return null;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    return Owner.safeParse(db.prepare("SELECT * FROM owner").get()).data ?? null;
  } catch {
    // Removed or being written at this moment, or not a lock's file.
    return null;
  } finally {
    db?.close();
  }
}
