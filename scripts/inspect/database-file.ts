/**
 * What is to be said of a database file before its tables are: that it is none, that it is cut, that somebody is writing to it.
 * The file is only ever read byte by byte, so that neither its owner nor its bytes take notice.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import type { Query } from "../../src/inspect/index.ts";
import { openRegular } from "../base/regular-file.ts";
import { UserError } from "../base/user-error.ts";
import { withCopiedDatabase } from "../local/files/copied-database.ts";
import { type Finding, found } from "./finding-codes.ts";

/** https://sqlite.org/fileformat2.html: the header of the file, of the write-ahead log and of the rollback journal. */
const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const PAGE_BYTES_AT = 16;
const CHANGES_AT = 24;
const PAGES_AT = 28;
const PAGES_VALID_FOR_AT = 92;
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_HEADER_BYTES = 24;
const WAL_PAGE_BYTES_AT = 8;
const JOURNAL_MAGIC = Buffer.from("d9d505f920a163d7", "hex");

/**
 * Gives `use` a way to query a copy of the file, and says what is wrong with the file.
 *
 * @throws UserError for what is no database, or one that cannot be copied.
 */
export async function readDatabase<T>(
  path: string,
  use: (query: Query) => T,
): Promise<{ readonly value: T; readonly findings: readonly Finding[] }> {
  const { bytes, header } = headOf(path);
  const hasLog = existsSync(`${path}-wal`);
  if (bytes === 0 && !hasLog) throw new UserError(`'${path}' is empty: it holds no database`);
  if (bytes > 0 && header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw new UserError(
      `'${path}' is no SQLite database, or its first page is damaged; give a database file, a .jsonl trace, or the URL of an object`,
    );
  const findings = [...cutOf(header, bytes, hasLog), ...cutLogOf(path), ...writerOf(path)];
  try {
    return await withCopiedDatabase(path, (query, log) => {
      const damage = damageOf(query);
      return {
        value: use(query),
        findings: [
          ...findings,
          ...(log.log === "missing" ? [found("log-file-missing", { detail: log.sentence })] : []),
          ...(log.log === "none" ? [found("log-file-absent", { detail: log.sentence })] : []),
          ...(damage === null ? [] : [found("file-damaged", { detail: damage })]),
        ],
      };
    });
  } catch (error) {
    if (error instanceof Error && /changed during each of/.test(error.message))
      throw new UserError(
        `'${path}' cannot be copied: it ${error.message.replace(/^\S+ /, "")}; end its process, or try again`,
      );
    throw error;
  }
}

function headOf(path: string): { readonly bytes: number; readonly header: Buffer } {
  const { file, bytes } = openRegular(path);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    return { bytes, header };
  } finally {
    closeSync(file);
  }
}

/** What was written last may stand in the log alone, so that only a file without one has to be whole. */
function cutOf(header: Buffer, bytes: number, hasLog: boolean): Finding[] {
  const size = header.readUInt16BE(PAGE_BYTES_AT);
  // The largest size does not fit into two bytes.
  const pageBytes = size === 1 ? 65_536 : size;
  const pages = header.readUInt32BE(PAGES_AT);
  const isValid = header.readUInt32BE(CHANGES_AT) === header.readUInt32BE(PAGES_VALID_FOR_AT);
  if (hasLog || bytes === 0 || !isValid || pages * pageBytes <= bytes) return [];
  return [found("file-cut", { pages, bytes, pageBytes })];
}

/** SQLite leaves out a frame that is not whole, and says nothing. */
function cutLogOf(path: string): Finding[] {
  const log = `${path}-wal`;
  if (!existsSync(log)) return [];
  const file = openSync(log, "r");
  try {
    const bytes = fstatSync(file).size;
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    if (bytes === 0 || readSync(file, header, 0, WAL_HEADER_BYTES, 0) === 0) return [];
    const frame = WAL_FRAME_HEADER_BYTES + header.readUInt32BE(WAL_PAGE_BYTES_AT);
    const isWhole = bytes >= WAL_HEADER_BYTES && (bytes - WAL_HEADER_BYTES) % frame === 0;
    return isWhole ? [] : [found("log-file-cut", { bytes })];
  } finally {
    closeSync(file);
  }
}

/** A lock itself cannot be seen in the bytes; what a writer puts beside the file can. */
function writerOf(path: string): Finding[] {
  const journal = `${path}-journal`;
  if (existsSync(journal)) {
    const file = openSync(journal, "r");
    try {
      const begin = Buffer.alloc(JOURNAL_MAGIC.length);
      readSync(file, begin, 0, begin.length, 0);
      // Until its beginning is written, the file itself has not been changed.
      return [begin.equals(JOURNAL_MAGIC) ? found("journal-hot", {}) : found("in-use", {})];
    } finally {
      closeSync(file);
    }
  }
  return existsSync(`${path}-shm`) ? [found("in-use", {})] : [];
}

/** What SQLite itself finds wrong: counts alone may succeed on a damaged file. */
function damageOf(query: Query): string | null {
  try {
    const findings = [...query("PRAGMA quick_check(5)")].flatMap((row) => Object.values(row)).map(String);
    return findings.join() === "ok" ? null : findings.join("; ").replaceAll(/\s+/g, " ").slice(0, 2_000);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
