/**
 * Small tools for data that somebody else wrote: nothing here throws, and nothing is dropped without a word.
 */

/** Runs one statement and yields its rows: `ctx.storage.sql.exec` or a `node:sqlite` statement behind a function. */
export type Query = (sql: string, ...params: string[]) => Iterable<Record<string, unknown>>;

export type Rows =
  | { readonly ok: true; readonly rows: readonly Record<string, unknown>[] }
  | { readonly ok: false; readonly error: string };

/** Reads all rows; an error (a damaged file, a table that may not be read) is a value. */
export function readRows(query: Query, sql: string, ...params: string[]): Rows {
  try {
    return { ok: true, rows: [...query(sql, ...params)] };
  } catch (error) {
    return { ok: false, error: clip(error instanceof Error ? error.message : String(error), 1_000) };
  }
}

export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A text of 1 to `max` characters, cut when it is longer; null for anything else. */
export function asText(value: unknown, max: number): string | null {
  return typeof value === "string" && value !== "" ? clip(value, max) : null;
}

/** A finite number; SQLite integers may arrive as bigint. */
export function asNumber(value: unknown): number | null {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** A whole number that is exact in JavaScript, at least 0. */
export function asCount(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** An SQL identifier, quoted so that any table name is only a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Joins what went wrong into the one `error` of a snapshot; null when nothing did. */
export function joinErrors(errors: readonly (string | null)[]): string | null {
  const said = errors.filter((error) => error !== null);
  return said.length === 0 ? null : clip(said.join("; "), 4_000);
}
