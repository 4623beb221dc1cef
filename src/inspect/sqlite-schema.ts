/**
 * Which tables and indexes a database holds, and how many rows each table has. Works on a Durable Object's
 * `sql.exec` and on `node:sqlite` alike, and gives the same observations on both. Reads only.
 */
import type { z } from "zod";
import type { HashText, IndexObservation, TableObservation } from "../trace/index.ts";
import { textHash } from "./content-hash.ts";
import { asCount, asText, clip, joinErrors, type Query, quoteName, readRows } from "./foreign.ts";

export type SchemaInspection = {
  readonly tables: z.infer<typeof TableObservation>[];
  readonly indexes: z.infer<typeof IndexObservation>[];
  /** What kept the list from being whole; null when nothing did. */
  readonly error: string | null;
};

export const LIST_TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
const LIST_INDEXES =
  "SELECT name, tbl_name AS on_table FROM sqlite_schema WHERE type = 'index' ORDER BY name, tbl_name";

/** Names are data of the database under inspection, hence the quoting. */
function countRows(table: string): string {
  return `SELECT count(*) AS n FROM ${quoteName(table)}`;
}

/**
 * The runtime's own tables. It lists them and forbids reading them, so they are not counted anywhere: no count, and
 * no error either, since nothing is wrong with them.
 */
const RUNTIME_TABLE = /^_cf_/i;

/** Limits of a `snapshot.schema` record. */
const TABLES_MAX = 1_000;
const INDEXES_MAX = 2_000;
const NAME_MAX = 300;

/** Without `hash`, tables carry none of their statements. */
export function inspectSchema(query: Query, hash?: HashText): SchemaInspection {
  const errors: string[] = [];
  const list = (what: string, sql: string, max: number) => {
    const read = readRows(query, sql);
    if (!read.ok) {
      errors.push(`cannot list the ${what}: ${read.error}`);
      return [];
    }
    if (read.rows.length > max) errors.push(`${read.rows.length} ${what}, the first ${max} are shown`);
    return read.rows.slice(0, max);
  };
  return {
    tables: list("tables", LIST_TABLES, TABLES_MAX).map((row) => ({
      ...countTable(query, row.name),
      ...(hash === undefined || typeof row.sql !== "string" ? {} : { sql: textHash(row.sql, hash) }),
    })),
    indexes: list("indexes", LIST_INDEXES, INDEXES_MAX).map((row) => ({
      name: asText(row.name, NAME_MAX) ?? "(unreadable)",
      table: asText(row.on_table, NAME_MAX) ?? "(unreadable)",
    })),
    error: joinErrors(errors),
  };
}

function countTable(query: Query, value: unknown): z.infer<typeof TableObservation> {
  if (typeof value !== "string") return { name: "(unreadable)", rows: null, error: "its name is no text" };
  const name = clip(value, NAME_MAX);
  if (RUNTIME_TABLE.test(value)) return { name, rows: null };
  // A virtual table is counted through its module, which the inspecting side may lack: then that is the error.
  const read = readRows(query, countRows(value));
  if (!read.ok) return { name, rows: null, error: read.error };
  const rows = asCount(read.rows[0]?.n);
  return rows === null ? { name, rows, error: "the count is no number" } : { name, rows };
}
