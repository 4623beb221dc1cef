/**
 * The tables of one trial. They are created with the trial: an object that was only asked about an unknown trial
 * stores nothing. State that decides anything is here; memory holds open connections, and copies of what is stored.
 */
import type { LedgerConfig } from "../../src/trace/protocol/ledger-protocol.ts";

const TABLES = `
  CREATE TABLE trial (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    name TEXT NOT NULL,
    config TEXT NOT NULL,
    ended TEXT
  );
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    line TEXT NOT NULL,
    hash TEXT NOT NULL,
    append_id TEXT UNIQUE
  );
  CREATE INDEX journal_type ON journal (type, seq);
  CREATE TABLE attempt (
    attempt INTEGER PRIMARY KEY,
    action TEXT NOT NULL,
    key_json TEXT NOT NULL, -- JSON, since SQLite gives a lone surrogate back as replacement characters
    stage TEXT NOT NULL CHECK (stage IN ('received', 'committed', 'deduplicated', 'rejected')),
    effect TEXT,
    receipt TEXT NOT NULL CHECK (receipt IN ('none', 'withheld', 'sent', 'undeliverable')),
    caller_gone INTEGER NOT NULL CHECK (caller_gone IN (0, 1))
  );
  CREATE TABLE effect (
    effect TEXT PRIMARY KEY,
    attempt INTEGER NOT NULL UNIQUE REFERENCES attempt (attempt),
    action TEXT NOT NULL,
    scope TEXT NOT NULL,
    receipt TEXT NOT NULL UNIQUE,
    unique_scope TEXT UNIQUE
  );
  CREATE TABLE hold (
    point TEXT NOT NULL,
    occurrence INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('armed', 'reached', 'proceed', 'drop', 'ended')),
    attempt INTEGER,
    call INTEGER,
    PRIMARY KEY (point, occurrence)
  );
  CREATE TABLE model_call (
    call INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    ordinal INTEGER NOT NULL
  );
`;

/** Creates the tables of a new trial; part of the transaction that stores its configuration. */
export function createTables(sql: SqlStorage, trial: string, config: LedgerConfig): void {
  sql.exec(TABLES);
  sql.exec(
    "INSERT INTO trial (only_row, name, config, ended) VALUES (1, ?, ?, NULL)",
    trial,
    JSON.stringify(config),
  );
  for (const hold of config.holds)
    sql.exec(
      "INSERT INTO hold (point, occurrence, state) VALUES (?, ?, 'armed')",
      hold.point,
      hold.occurrence,
    );
}

export function hasTables(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trial'").toArray().length > 0;
}

/** The only row of a query, or undefined. */
export function firstRow<Row extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  query: string,
  ...values: SqlStorageValue[]
): Row | undefined {
  return sql.exec<Row>(query, ...values).toArray()[0];
}

/** A count that a query selects as `n`. */
export function countOf(sql: SqlStorage, query: string, ...values: SqlStorageValue[]): number {
  return firstRow<{ n: number }>(sql, query, ...values)?.n ?? 0;
}

/** One text for several parts, which no other parts give, whatever characters they contain. */
export function comparable(...parts: string[]): string {
  return JSON.stringify(parts);
}
