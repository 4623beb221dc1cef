/** Rows of `session_inbox`: host contract, sections 7 and 11.1. */
import type { Delivery, InboxItem, InboxItemBody } from "../types/inbox-types.ts";
import type { Database } from "./database.ts";

type InboxRow = {
  id: string;
  session_id: string;
  type: string;
  payload: string;
  delivery: string;
  time_created: number;
};

const COLUMNS = "id, session_id, type, payload, delivery, time_created";

export class InboxStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  insert(sessionID: string, id: string, item: InboxItemBody, enqueuedSeq: number, at: number): void {
    this.#db.run(
      `INSERT INTO session_inbox (id, session_id, type, payload, delivery, enqueued_seq, time_created)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      id,
      sessionID,
      item.type,
      JSON.stringify(item.payload),
      item.delivery,
      enqueuedSeq,
      at,
    );
  }

  remove(id: string): void {
    this.#db.run("DELETE FROM session_inbox WHERE id = ?", id);
  }

  setDelivery(id: string, delivery: Delivery): void {
    this.#db.run("UPDATE session_inbox SET delivery = ? WHERE id = ?", delivery, id);
  }

  find(id: string): InboxItem | undefined {
    const row = this.#db.first<InboxRow>(`SELECT ${COLUMNS} FROM session_inbox WHERE id = ?`, id);
    return row === undefined ? undefined : decode(row);
  }

  /** In order of admission. */
  list(sessionID: string): InboxItem[] {
    return this.#db
      .all<InboxRow>(
        `SELECT ${COLUMNS} FROM session_inbox WHERE session_id = ? ORDER BY enqueued_seq`,
        sessionID,
      )
      .map(decode);
  }
}

function decode(row: InboxRow): InboxItem {
  return {
    id: row.id,
    sessionID: row.session_id,
    timeCreated: row.time_created,
    type: row.type,
    payload: JSON.parse(row.payload),
    delivery: row.delivery,
  } as InboxItem;
}
