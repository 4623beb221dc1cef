/** Reads the host's tables as an earlier activation left them, without opening the host. */
import type { BootState, Catalog } from "../protocol.ts";

export function readBootState(sql: SqlStorage): Omit<BootState, "activation"> {
  const exists = sql.exec("SELECT name FROM sqlite_master WHERE name = 'opencode_session_v2'").toArray();
  if (exists.length === 0) return { claims: [], attempts: 0, inbox: [], events: [], messages: [] };
  const attempts = sql
    .exec<{ resume_attempts: number }>(
      "SELECT resume_attempts FROM opencode_session_v2 WHERE id = 'ses_root'",
    )
    .toArray()[0];
  return {
    claims: sql
      .exec<{ id: string }>("SELECT id FROM opencode_session_v2 WHERE time_suspended IS NOT NULL ORDER BY id")
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
  return { tables: names("table"), indexes: names("index") };
}
