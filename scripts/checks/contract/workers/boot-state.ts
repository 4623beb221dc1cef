/** Reads the host's tables as an earlier activation left them, without opening the host. */
import type { BootState, Catalog } from "../bench-protocol.ts";

const PREFIX = "opencode_";

/** Names that the claim column has been seen under (host contract, section 15, question 10). */
const CLAIM_COLUMNS = ["time_suspended", "execution_claimed_at"];

export function readBootState(sql: SqlStorage): Omit<BootState, "activation"> {
  const columns = columnsOf(sql, "session_v2");
  if (columns.length === 0) return { claims: [], attempts: 0, inbox: [], events: [], messages: [] };
  const claim = columns.find((column) => CLAIM_COLUMNS.includes(column));
  if (claim === undefined) throw new Error(`No claim column among ${columns.join(", ")}`);
  const attempts = sql
    .exec<{ resume_attempts: number }>(
      "SELECT resume_attempts FROM opencode_session_v2 WHERE id = 'ses_root'",
    )
    .toArray()[0];
  return {
    claims: sql
      .exec<{ id: string }>(`SELECT id FROM opencode_session_v2 WHERE ${claim} IS NOT NULL ORDER BY id`)
      .toArray()
      .map((row) => row.id),
    attempts: attempts?.resume_attempts ?? 0,
    inbox: sql
      .exec<{ id: string; type: string }>("SELECT id, type FROM opencode_session_inbox ORDER BY enqueued_seq")
      .toArray(),
    events: sql
      .exec<{ type: string }>("SELECT type FROM opencode_event WHERE aggregate_id = 'ses_root' ORDER BY seq")
      .toArray()
      .map((row) => row.type),
    messages: sql
      .exec<{ id: string; type: string; data: string }>(
        "SELECT id, type, data FROM opencode_session_message WHERE session_id = 'ses_root' ORDER BY seq",
      )
      .toArray()
      .map((row) => ({ id: row.id, type: row.type, data: JSON.parse(row.data) })),
  };
}

export function readCatalog(sql: SqlStorage): Catalog {
  const names = (type: string) =>
    sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = ? AND name LIKE 'opencode!_%' ESCAPE '!' ORDER BY name",
        type,
      )
      .toArray()
      .map((row) => row.name);
  return {
    tables: names("table"),
    indexes: names("index"),
    sessionColumns: columnsOf(sql, "session_v2"),
    migrations: sql
      .exec<{ id: string }>("SELECT id FROM opencode_migration ORDER BY id")
      .toArray()
      .map((row) => row.id),
  };
}

/** None when there is no such table yet. */
function columnsOf(sql: SqlStorage, table: string): string[] {
  return sql
    .exec<{ name: string }>(`PRAGMA table_info(${PREFIX}${table})`)
    .toArray()
    .map((row) => row.name);
}
