/**
 * Opens a copy of a SQLite file that another process may be writing to. The original is only ever read, byte by
 * byte, so that neither its owner nor its bytes take notice.
 */
import { hash } from "node:crypto";
import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { Query } from "../../../src/inspect/index.ts";
import { findWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

/** A file that changes under every copy is being written to without pause. */
const COPY_ATTEMPTS = 10;

/**
 * Copies the database at `path` to a temporary folder, gives `use` a way to query the copy and a word on whether it is all
 * there, and removes it again.
 *
 * @throws when there is no such file, or when it changed during every attempt to copy it.
 */
export async function withCopiedDatabase<T>(
  path: string,
  use: (query: Query, log: WriteAheadLog) => T,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "recovery-kit-inspect-"));
  try {
    const copy = join(folder, basename(path));
    await copyAtRest(path, copy);
    const beside = { log: await isThere(`${copy}-wal`), index: await isThere(`${path}-shm`) };
    const log = await findWriteAheadLog(copy, beside);
    const db = new DatabaseSync(copy, { readOnly: true });
    try {
      return use(queryOf(db), log);
    } finally {
      db.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the inspectors fingerprint with. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** Runs statements of an open database. */
export function queryOf(db: DatabaseSync): Query {
  return (sql, ...params) => {
    const statement = db.prepare(sql);
    // Times in nanoseconds exceed what a JavaScript number holds, and would throw.
    statement.setReadBigInts(true);
    return statement.all(...params).map(withNumbers);
  };
}

/**
 * Copies the file and its write-ahead log as they stood at one moment. The `-shm` file is left out: it is an
 * index of the log that SQLite builds anew, and a copy of it could disagree with the copied log.
 */
async function copyAtRest(from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= COPY_ATTEMPTS; attempt += 1) {
    const before = await stampOf(from);
    await copyFile(from, to);
    await copyFile(`${from}-wal`, `${to}-wal`).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      await rm(`${to}-wal`, { force: true });
    });
    if ((await stampOf(from)) === before) return;
  }
  throw new Error(`${basename(from)} changed during each of ${COPY_ATTEMPTS} attempts to copy it`);
}

/** Size and time of change of both files, as text. */
async function stampOf(path: string): Promise<string> {
  const main = await stat(path, { bigint: true });
  const log = await orNull(stat(`${path}-wal`, { bigint: true }));
  return [main, log].map((file) => (file === null ? "none" : `${file.size}@${file.mtimeNs}`)).join(" ");
}

/** Null where there is no such file. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  return await found.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

async function isThere(path: string): Promise<boolean> {
  return (await orNull(stat(path))) !== null;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function withNumbers(row: Record<string, SQLOutputValue>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  );
}
