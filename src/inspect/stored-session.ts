/**
 * A session's log and transcript as they lie in OpenCode's tables, in the shapes in which the harness would give
 * them, so that the same inspectors read both. For databases whose object must not be woken. Reads only.
 */
import { asNumber, asObject, asText, joinErrors, type Query, readRows } from "./foreign.ts";
import { type SessionTables, sessionDoubt } from "./session-presence.ts";

export type StoredItems = {
  /** Raw items; a row whose JSON is damaged is an item that no inspector can read. */
  readonly items: unknown[];
  /** What cannot be read, and what is wrong with the session: that it is not there, or only in parts. */
  readonly error: string | null;
};

export const STORED_SESSION_TABLES: SessionTables = {
  sessions: (table) => /^opencode_session(_v\d+)?$/.test(table),
  parts: [
    ["opencode_event", "aggregate_id"],
    ["opencode_session_message", "session_id"],
  ],
};

const EVENTS =
  "SELECT id, aggregate_id, seq, created, type, data FROM opencode_event WHERE aggregate_id = ? ORDER BY seq";
const WATERMARK = "SELECT seq FROM opencode_event_sequence WHERE aggregate_id = ?";
const MESSAGES = "SELECT id, type, data FROM opencode_session_message WHERE session_id = ? ORDER BY seq";

/** What `session.log()` would yield from the start: events, then the marker. */
export function readStoredLog(query: Query, session: string): StoredItems {
  const rows = readRows(query, EVENTS, session);
  if (!rows.ok) return { items: [], error: `cannot read the event table: ${rows.error}` };
  const doubt = sessionDoubt(query, session, STORED_SESSION_TABLES);
  if (doubt?.absent === true) return { items: [], error: doubt.error };
  const errors = doubt === null ? [] : [doubt.error];
  const mark = readRows(query, WATERMARK, session);
  const events = rows.rows.map(eventOf);
  if (!mark.ok)
    return { items: events, error: joinErrors([...errors, `cannot read the event sequence: ${mark.error}`]) };
  const seq = asNumber(mark.rows[0]?.seq);
  const marker = { type: "log.synced", aggregateID: session, ...(seq === null ? {} : { seq }) };
  return { items: [...events, marker], error: joinErrors(errors) };
}

/** What `message.list()` would give, oldest first. */
export function readStoredMessages(query: Query, session: string): StoredItems {
  const rows = readRows(query, MESSAGES, session);
  if (!rows.ok) return { items: [], error: `cannot read the message table: ${rows.error}` };
  const items = rows.rows.map((row) => {
    const data = parseObject(row.data);
    return data === null ? { id: row.id } : { ...data, id: row.id, type: row.type };
  });
  return { items, error: sessionDoubt(query, session, STORED_SESSION_TABLES)?.error ?? null };
}

/** Stored types carry their version: `session.tool.failed.2`. */
function eventOf(row: Record<string, unknown>): unknown {
  const stored = /^(.+)\.(\d+)$/.exec(asText(row.type, 300) ?? "");
  const data = parseObject(row.data);
  if (stored === null || data === null) return null;
  return {
    id: row.id,
    created: asNumber(row.created),
    type: stored[1],
    data,
    durable: { aggregateID: row.aggregate_id, seq: asNumber(row.seq), version: Number(stored[2]) },
  };
}

function parseObject(text: unknown): Record<string, unknown> | null {
  try {
    return typeof text === "string" ? asObject(JSON.parse(text)) : null;
  } catch {
    return null;
  }
}
