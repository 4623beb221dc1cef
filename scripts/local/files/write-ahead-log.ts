/**
 * Whether a copied database lacks its write-ahead log. Without it SQLite opens the file as it stood at some earlier moment,
 * and says nothing. Whoever closes a database cleanly removes the log, so that its absence alone proves nothing.
 *
 * Leaves to others: copying (copied-database.ts), what a reading of such a file is worth (offline.ts).
 */
import { open } from "node:fs/promises";

/** `missing`: something shows it. `none`: closed cleanly, or lost without a trace. `beside`: the log is there, or none is used. */
export type WriteAheadLog =
  | { readonly log: "beside" }
  | { readonly log: "none" | "missing"; readonly sentence: string };

/** Where SQLite's header says what the file is; https://sqlite.org/fileformat2.html, the chapter on its header. */
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const WAL_VERSION = 2;

const NOTHING_YET = "the file itself has no table yet";

/** `index`: whether the log's index (`-shm`) stood beside the original, which outlives the log only when that was taken away. */
export async function findWriteAheadLog(
  file: string,
  beside: { readonly log: boolean; readonly index: boolean },
): Promise<WriteAheadLog> {
  if (beside.log) return { log: "beside" };
  const { header, length } = await headerOf(file);
  const missing = (why: string): WriteAheadLog => ({
    log: "missing",
    sentence: `the write-ahead log of the file is missing: ${why}`,
  });
  if (beside.index) return missing("its index (-shm) is there");
  if (length === 0) return missing(NOTHING_YET);
  if (length < HEADER_BYTES || !usesLog(header)) return { log: "beside" };
  // The first page lists the tables, and each of those has a page of its own.
  if (length <= pageSize(header)) return missing(NOTHING_YET);
  return {
    log: "none",
    sentence:
      "the file is kept with a write-ahead log, and none is beside it: it was closed cleanly, or what was last written is missing",
  };
}

/** Why what is read from the file may not be the last word; null where nothing shows that. */
export function missingLog(log: WriteAheadLog): string | null {
  return log.log === "missing" ? log.sentence : null;
}

async function headerOf(path: string): Promise<{ readonly header: Buffer; readonly length: number }> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    return { header, length: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

function usesLog(header: Buffer): boolean {
  return header[WRITE_VERSION_AT] === WAL_VERSION && header[READ_VERSION_AT] === WAL_VERSION;
}

function pageSize(header: Buffer): number {
  const size = header.readUInt16BE(PAGE_SIZE_AT);
  // The largest size does not fit into two bytes.
  return size === 1 ? 65_536 : size;
}
