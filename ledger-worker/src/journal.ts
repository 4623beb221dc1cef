/**
 * The journal of one trial: append-only lines in SQLite, each carrying the SHA-256 of the one before it. What is
 * hashed is the stored text, and the stored text is what is handed out.
 *
 * `append` belongs inside the transaction that makes the state change it records. Leaves to others: what is
 * recorded when (src/attempts.ts and its neighbours), and waking those who wait for records (src/wakeups.ts).
 */
import { createHash } from "node:crypto";
import { Refusal } from "../../src/link/admission.ts";
import { GENESIS, JournalRecord, type RecordDraft, type RecordType } from "../../src/trace/index.ts";
import { RECORD_BYTES_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import { looksRight } from "../../src/trace/quick-check.ts";
import { comparable, firstRow } from "./tables.ts";

/** Room for seq, at and prev around a record of the largest size; stays below SQLite's 2 MB for one value. */
const LINE_BYTES_MAX = RECORD_BYTES_MAX + 1_024;
/** How much of the journal is in memory at once while a page is sent. */
const CHUNK_BYTES = 256 * 1024;

type Head = { readonly seq: number; readonly hash: string; readonly at: number };

export class Journal {
  readonly #sql: SqlStorage;
  readonly #now: () => number;
  readonly #onAppend: (record: JournalRecord) => void;
  /** As it is stored; undefined until it is read. This object is the only one that appends. */
  #head: Head | undefined;

  /** `onAppend` is told of each record in the transaction that may yet be undone. */
  constructor(sql: SqlStorage, now: () => number, onAppend: (record: JournalRecord) => void) {
    this.#sql = sql;
    this.#now = now;
    this.#onAppend = onAppend;
  }

  head(): Head {
    this.#head ??= firstRow<Head>(
      this.#sql,
      "SELECT seq, hash, at FROM journal ORDER BY seq DESC LIMIT 1",
    ) ?? { seq: 0, hash: GENESIS, at: 0 };
    return this.#head;
  }

  /** Forgets what a transaction had appended that was undone. */
  forget(): void {
    this.#head = undefined;
  }

  /** Appends one record and returns its seq. `id` makes the append findable by `seqOfId`. */
  append(draft: RecordDraft, id?: string): number {
    const head = this.head();
    const { source, type, ...fields } = draft;
    const seq = head.seq + 1;
    // The clock may be set back; the journal's time never goes back.
    const at = Math.max(this.#now(), head.at);
    const record = { seq, at, source, type, prev: head.hash, ...fields };
    const parsed = parsedRecord(record);
    const line = JSON.stringify(record);
    // A record may be longer than the request that brought it: 1e15 is written out in full.
    if (Buffer.byteLength(line) > LINE_BYTES_MAX)
      throw new Refusal("body-too-large", `body: expected a record of at most ${RECORD_BYTES_MAX} bytes.`);
    const hash = createHash("sha256").update(line, "utf8").digest("hex");
    this.#sql.exec(
      "INSERT INTO journal (seq, type, at, line, hash, append_id) VALUES (?, ?, ?, ?, ?, ?)",
      seq,
      type,
      at,
      line,
      hash,
      id === undefined ? null : comparable(id),
    );
    this.#head = { seq, hash, at };
    this.#onAppend(parsed);
    return seq;
  }

  seqOfId(id: string): number | undefined {
    return firstRow<{ seq: number }>(this.#sql, "SELECT seq FROM journal WHERE append_id = ?", comparable(id))
      ?.seq;
  }

  ofId(id: string): JournalRecord | undefined {
    const row = firstRow<{ line: string }>(
      this.#sql,
      "SELECT line FROM journal WHERE append_id = ?",
      comparable(id),
    );
    return row === undefined ? undefined : readLine(row.line);
  }

  /** The first record of one of `types` with a seq greater than `after`. */
  firstAfter(types: readonly RecordType[], after: number): JournalRecord | undefined {
    const row = firstRow<{ line: string }>(
      this.#sql,
      `SELECT line FROM journal WHERE seq > ? AND type IN (${marks(types)}) ORDER BY seq LIMIT 1`,
      after,
      ...types,
    );
    return row === undefined ? undefined : readLine(row.line);
  }

  last(types: readonly RecordType[]): JournalRecord | undefined {
    const row = firstRow<{ line: string }>(
      this.#sql,
      `SELECT line FROM journal WHERE type IN (${marks(types)}) ORDER BY seq DESC LIMIT 1`,
      ...types,
    );
    return row === undefined ? undefined : readLine(row.line);
  }

  /** Up to `limit` stored lines with a seq greater than `after`, as they are stored, one chunk at a time. */
  linesAfter(after: number, limit: number): ReadableStream<Uint8Array> {
    // Lines are never changed, so reading them bit by bit while others are appended gives the same bytes.
    const end = Math.min(after + limit, this.head().seq);
    const encoder = new TextEncoder();
    let seq = after;
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        let chunk = "";
        while (seq < end && chunk.length < CHUNK_BYTES) {
          seq += 1;
          const row = firstRow<{ line: string }>(this.#sql, "SELECT line FROM journal WHERE seq = ?", seq);
          if (row === undefined) throw new Error(`journal line ${seq} is missing`);
          chunk += `${row.line}\n`;
        }
        if (chunk !== "") controller.enqueue(encoder.encode(chunk));
        if (seq >= end) controller.close();
      },
    });
  }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}

function readLine(line: string): JournalRecord {
  return parsedRecord(JSON.parse(line));
}

function parsedRecord(record: unknown): JournalRecord {
  return looksRight(JournalRecord, record) ? (record as JournalRecord) : JournalRecord.parse(record);
}
