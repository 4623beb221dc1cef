/**
 * Reads the server's database while the server writes to it, as one more reader among its own: SQLite keeps them apart. A
 * copy of the files would have to wait for a moment without a write, which a server with many busy sessions does not have.
 */
import { DatabaseSync } from "node:sqlite";
import type { Query } from "../../../src/inspect/index.ts";
import { queryOf } from "../files/copied-database.ts";

/** How long a reader waits for a lock that a writer holds, in ms. */
const LOCK_MS = 5_000;

/** @throws when there is no such file. It is never made. */
export function withLiveDatabase<T>(path: string, use: (query: Query) => T): T {
  const db = new DatabaseSync(path, { readOnly: true, timeout: LOCK_MS });
  try {
    return use(queryOf(db));
  } finally {
    db.close();
  }
}
