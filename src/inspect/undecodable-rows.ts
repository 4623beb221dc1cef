/**
 * Rows that the layout of their table cannot decode: contents that are no JSON object, a type without its version, a table
 * that lacks a column which the layout reads. Reads only; names rows by their keys and shows nothing of them.
 *
 * Leaves to the layouts: which tables have rows that must be decoded.
 */
import type { UndecodableRow } from "../trace/index.ts";
import { asText, clip, type Query, quoteName, readRows } from "./foreign.ts";

/** What a layout needs of one of its tables. */
export type RowLayout = {
  readonly table: string;
  /** The column that names a row. */
  readonly key: string;
  /** Columns that have to be there. */
  readonly columns: readonly string[];
  /** Columns with a JSON object each. */
  readonly objects: readonly string[];
  /** A column of event types, each of which ends in its version. */
  readonly versioned?: string;
};

/** Limit of a record. */
const ROWS_MAX = 100;

/** Tables that are not there owe no rows. */
export function undecodableRows(query: Query, layouts: readonly RowLayout[]): UndecodableRow[] {
  return layouts.flatMap((layout) => rowsOf(query, layout)).slice(0, ROWS_MAX);
}

function rowsOf(query: Query, layout: RowLayout): UndecodableRow[] {
  const { table, key, columns, objects, versioned } = layout;
  const whole = (why: string): UndecodableRow[] => [{ table, row: null, why: clip(why, 1_000) }];
  const shape = readRows(query, "SELECT name FROM pragma_table_info(?)", table);
  if (!shape.ok) return whole(`its columns cannot be read: ${shape.error}`);
  if (shape.rows.length === 0) return [];
  const there = shape.rows.map(({ name }) => name);
  const needed = [key, ...columns, ...objects, ...(versioned === undefined ? [] : [versioned])];
  const lacking = [...new Set(needed)].filter((column) => !there.includes(column));
  if (lacking.length > 0) return whole(`it lacks ${lacking.join(", ")}`);
  const tests = [
    ...objects.map((column) => [notAnObject(column), `${column} is no JSON object`] as const),
    ...(versioned === undefined
      ? []
      : [[withoutVersion(versioned), `${versioned} does not end in a version`] as const]),
  ];
  return tests.flatMap(([condition, why]) => {
    const found = readRows(
      query,
      `SELECT CAST(${quoteName(key)} AS TEXT) AS row_key FROM ${quoteName(table)} WHERE ${condition} ORDER BY 1 LIMIT ${ROWS_MAX}`,
    );
    if (!found.ok) return whole(`its rows cannot be read: ${found.error}`);
    return found.rows.map(({ row_key: row }) => ({ table, row: asText(row, 300), why }));
  });
}

/** `json_type` must not meet what is no JSON, hence the CASE, which SQLite evaluates in order. */
function notAnObject(column: string): string {
  const name = quoteName(column);
  return `CASE WHEN ${name} IS NULL OR NOT json_valid(${name}) THEN 1 ELSE json_type(${name}) <> 'object' END`;
}

function withoutVersion(column: string): string {
  const name = quoteName(column);
  // Without its digits at the end, it has to end in a dot.
  return `${name} IS NULL OR rtrim(${name}, '0123456789') = ${name} OR rtrim(${name}, '0123456789') NOT GLOB '?*.'`;
}
