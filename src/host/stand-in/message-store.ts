/**
 * Rows of `session_message`: host contract, section 6. A row keeps the sequence number of the event that created
 * it; `data` is the message as JSON, without id and type.
 */
import type { AssistantMessage, SessionMessage } from "../types/messages.ts";
import type { Database } from "./database.ts";

type MessageRow = { id: string; session_id: string; type: string; seq: number; data: string };

type StoredMessage = { seq: number; sessionID: string; message: SessionMessage };

const COLUMNS = "id, session_id, type, seq, data";

export class MessageStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  insert(sessionID: string, seq: number, message: SessionMessage, at: number): void {
    const { id, type, ...data } = message;
    this.#db.run(
      `INSERT INTO session_message (id, session_id, type, seq, time_created, time_updated, data)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      id,
      sessionID,
      type,
      seq,
      message.time.created,
      at,
      JSON.stringify(data),
    );
  }

  update(message: SessionMessage, at: number): void {
    const { id, type: _type, ...data } = message;
    this.#db.run(
      "UPDATE session_message SET data = ?, time_updated = ? WHERE id = ?",
      JSON.stringify(data),
      at,
      id,
    );
  }

  find(id: string): StoredMessage | undefined {
    const row = this.#db.first<MessageRow>(`SELECT ${COLUMNS} FROM session_message WHERE id = ?`, id);
    return row === undefined ? undefined : decode(row);
  }

  assistant(id: string): AssistantMessage | undefined {
    const message = this.find(id)?.message;
    return message?.type === "assistant" ? message : undefined;
  }

  ofType<T extends SessionMessage["type"]>(
    sessionID: string,
    type: T,
  ): Extract<SessionMessage, { type: T }>[] {
    return this.#db
      .all<MessageRow>(
        `SELECT ${COLUMNS} FROM session_message WHERE session_id = ? AND type = ? ORDER BY seq`,
        sessionID,
        type,
      )
      .map((row) => decode(row).message as Extract<SessionMessage, { type: T }>);
  }

  /** Messages with `seq` strictly between the bounds, in the given direction. */
  range(
    sessionID: string,
    bounds: { after?: number; before?: number },
    order: "asc" | "desc",
    limit: number,
  ): StoredMessage[] {
    return this.#db
      .all<MessageRow>(
        `SELECT ${COLUMNS} FROM session_message WHERE session_id = ? AND seq > ? AND seq < ?
         ORDER BY seq ${order === "asc" ? "ASC" : "DESC"} LIMIT ?`,
        sessionID,
        bounds.after ?? -1,
        bounds.before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .map(decode);
  }

  all(sessionID: string): StoredMessage[] {
    return this.range(sessionID, {}, "asc", Number.MAX_SAFE_INTEGER);
  }

  /** From the newest completed compaction on, that one included (host contract, section 3.6). */
  context(sessionID: string): SessionMessage[] {
    const messages = this.all(sessionID).map((stored) => stored.message);
    const start = messages.findLastIndex(
      (message) => message.type === "compaction" && message.status === "completed",
    );
    return start === -1 ? messages : messages.slice(start);
  }
}

function decode(row: MessageRow): StoredMessage {
  return {
    seq: row.seq,
    sessionID: row.session_id,
    message: { ...JSON.parse(row.data), id: row.id, type: row.type } as SessionMessage,
  };
}
