/**
 * A session's log and transcript as they lie in the database of an OpenCode 1.18 server, in the shapes in which the server
 * would give them, so that the same inspectors read both. For a server that must not be spoken to. Reads only.
 */
import { asNumber, asObject, asText, joinErrors, type Query, readRows } from "./foreign.ts";
import { type SessionTables, sessionDoubt } from "./session-presence.ts";
import type { StoredItems } from "./stored-session.ts";

const EVENTS = "SELECT id, aggregate_id, seq, type, data FROM event WHERE aggregate_id = ? ORDER BY seq";
const WATERMARK = "SELECT seq FROM event_sequence WHERE aggregate_id = ?";
const INPUTS = "SELECT id, promoted_seq FROM session_input WHERE session_id = ? ORDER BY admitted_seq";
const CORE_MESSAGES = "SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY seq";
const OLD_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY id";
const OLD_PARTS = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id";

export const OLD_SESSION_TABLES: SessionTables = {
  sessions: (table) => table === "session",
  parts: [
    ["event", "aggregate_id"],
    ["session_message", "session_id"],
    ["message", "session_id"],
  ],
};

/** Everything that is stored of the log, then the number of its last event as a marker; none for a log without one. */
export function readOldLog(query: Query, session: string): StoredItems {
  const rows = readRows(query, EVENTS, session);
  if (!rows.ok) return { items: [], error: `cannot read the event table: ${rows.error}` };
  const doubt = sessionDoubt(query, session, OLD_SESSION_TABLES);
  if (doubt?.absent === true) return { items: [], error: doubt.error };
  const watermark = readOldWatermark(query, session);
  return {
    items: [...rows.rows.map(eventOf), ...watermark.items],
    error: joinErrors([doubt?.error ?? null, watermark.error]),
  };
}

/** The marker alone: how far the log goes, by another table than the events'. */
export function readOldWatermark(query: Query, session: string): StoredItems {
  const mark = readRows(query, WATERMARK, session);
  if (!mark.ok) return { items: [], error: `cannot read the event sequence: ${mark.error}` };
  const seq = asNumber(mark.rows[0]?.seq);
  return {
    items: [{ type: "log.synced", aggregateID: session, ...(seq === null ? {} : { seq }) }],
    error: null,
  };
}

/** A prompt by its id; one that is not begun is in no message. */
export type StoredInput = { readonly id: string; readonly begun: boolean };

/** The prompts that the session accepted; none in a release without a table of them. */
export function readOldInputs(query: Query, session: string): StoredInput[] {
  const rows = readRows(query, INPUTS, session);
  if (!rows.ok) return [];
  return rows.rows.flatMap((row) => {
    const id = asText(row.id, 200);
    return id === null ? [] : [{ id, begun: row.promoted_seq !== null }];
  });
}

/**
 * The operations whose prompts the session accepted and did not begin, in the shape of a transcript.
 *
 * @param prompts by operation; a prompt of none of them stands for itself.
 */
export function notBegun(
  inputs: readonly StoredInput[],
  prompts: Readonly<Record<string, readonly string[]>>,
): { operationId: string; status: string }[] {
  const operationOf = (id: string) => Object.keys(prompts).find((one) => prompts[one]?.includes(id)) ?? id;
  const waiting = inputs.flatMap(({ id, begun }) => (begun ? [] : [operationOf(id)]));
  return [...new Set(waiting)].map((operationId) => ({ operationId, status: "admitted" }));
}

/** The messages of whichever generation the session was written by. */
export function readOldMessages(query: Query, session: string): StoredItems {
  const core = readRows(query, CORE_MESSAGES, session);
  if (!core.ok) return { items: [], error: `cannot read the message table: ${core.error}` };
  const error = sessionDoubt(query, session, OLD_SESSION_TABLES)?.error ?? null;
  if (core.rows.length > 0)
    return {
      items: core.rows.map((row) => ({ ...(parseObject(row.data) ?? {}), id: row.id, type: row.type })),
      error,
    };
  const messages = readRows(query, OLD_MESSAGES, session);
  const parts = readRows(query, OLD_PARTS, session);
  if (!messages.ok) return { items: [], error: `cannot read the message table: ${messages.error}` };
  if (!parts.ok) return { items: [], error: `cannot read the part table: ${parts.error}` };
  const byMessage = Map.groupBy(parts.rows, (row) => row.message_id);
  return {
    items: messages.rows.map((row) => ({
      info: { ...(parseObject(row.data) ?? {}), id: row.id, sessionID: session },
      parts: (byMessage.get(row.id) ?? []).map((part) => partOf(part, session)),
    })),
    error,
  };
}

/** A part's row keeps its ids beside its content; the API puts them into it. */
function partOf(row: Record<string, unknown>, session: string): unknown {
  const data = parseObject(row.data);
  return data === null ? null : { ...data, id: row.id, sessionID: session, messageID: row.message_id };
}

/** Stored types carry their version: `session.next.tool.failed.1`. */
function eventOf(row: Record<string, unknown>): unknown {
  const stored = /^(.+)\.(\d+)$/.exec(asText(row.type, 300) ?? "");
  const data = parseObject(row.data);
  if (stored === null || data === null) return null;
  return {
    id: row.id,
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
