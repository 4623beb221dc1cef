/**
 * Which tables and indexes a database holds, of which columns, and how many rows each table has. Works on a Durable
 * Object's `sql.exec` and on `node:sqlite` alike, and gives the same observations on both. Reads only, and shows of the
 * contents nothing but the ids of migrations.
 */
import type { ColumnObservation, HashText, IndexObservation, TableObservation } from "../trace/index.ts";
import { textHash } from "./content-hash.ts";
import { asCount, asNumber, asText, clip, joinErrors, type Query, quoteName, readRows } from "./foreign.ts";

export type SchemaInspection = {
  readonly tables: TableObservation[];
  readonly indexes: IndexObservation[];
  /** What kept the list from being whole; null when nothing did. */
  readonly error: string | null;
};

export const LIST_TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
const LIST_INDEXES =
  "SELECT name, tbl_name AS on_table, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name, tbl_name";
const LIST_STATEMENTS = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
const COLUMNS = 'SELECT name, type, "notnull" AS required, dflt_value, pk FROM pragma_table_info(?)';
const INDEXES_OF = 'SELECT name, "unique" AS is_unique, partial FROM pragma_index_list(?)';
const COLUMNS_OF_INDEX = "SELECT name FROM pragma_index_info(?) ORDER BY seqno";

/** Names are data of the database under inspection, hence the quoting. */
function countRows(table: string): string {
  return `SELECT count(*) AS n FROM ${quoteName(table)}`;
}

/**
 * The runtime's own tables. It lists them and forbids reading them, so they are not counted anywhere: no count, no columns, and
 * no error either, since nothing is wrong with them.
 */
const RUNTIME_TABLE = /^_cf_/i;

/** Tables in which a package lists the migrations that it has made. */
const MIGRATIONS_TABLE = /(^|_)migrations?$/i;
/** Columns that name a migration, the one that says most first. */
const MIGRATION_NAMES = ["id", "name", "hash", "version"] as const;

/** Limits of a `snapshot.schema` record. */
const TABLES_MAX = 1_000;
const INDEXES_MAX = 2_000;
const COLUMNS_MAX = 2_000;
const NAME_MAX = 300;
const TYPE_MAX = 200;
const STATEMENT_MAX = 4_000;

/** Without `hash`, tables carry no hash of their statements; with `statements`, all of it carries them themselves. */
export function inspectSchema(query: Query, hash?: HashText, { statements = false } = {}): SchemaInspection {
  const statementOf = ({ sql }: Record<string, unknown>) =>
    statements && typeof sql === "string" ? { statement: clip(sql, STATEMENT_MAX) } : {};
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
  const tables = list("tables", LIST_TABLES, TABLES_MAX);
  const listed = list("indexes", LIST_INDEXES, INDEXES_MAX);
  const kinds = indexKinds(query, tables);
  return {
    tables: tables.map((row) => ({
      ...describeTable(query, row.name),
      ...(hash === undefined || typeof row.sql !== "string" ? {} : { sql: textHash(row.sql, hash) }),
      ...statementOf(row),
    })),
    indexes: listed.map((row) => ({
      name: asText(row.name, NAME_MAX) ?? "(unreadable)",
      table: asText(row.on_table, NAME_MAX) ?? "(unreadable)",
      ...describeIndex(query, row.name, row.on_table),
      ...kinds.get(String(row.name)),
      ...statementOf(row),
    })),
    error: joinErrors(errors),
  };
}

/** The statements that made tables and indexes, by name: to be shown, since two of them may say the same. */
export function readStatements(query: Query): ReadonlyMap<string, string> {
  const read = readRows(query, LIST_STATEMENTS);
  if (!read.ok) return new Map();
  return new Map(
    read.rows.flatMap(({ name, sql }) =>
      typeof name === "string" && typeof sql === "string" ? [[name, sql] as const] : [],
    ),
  );
}

function describeTable(query: Query, value: unknown): TableObservation {
  if (typeof value !== "string") return { name: "(unreadable)", rows: null, error: "its name is no text" };
  const name = clip(value, NAME_MAX);
  if (RUNTIME_TABLE.test(value)) return { name, rows: null };
  const columns = columnsOf(query, value);
  const shape = columns === null ? {} : { columns };
  // A virtual table is counted through its module, which the inspecting side may lack: then that is the error.
  const read = readRows(query, countRows(value));
  if (!read.ok) return { name, rows: null, ...shape, error: read.error };
  const rows = asCount(read.rows[0]?.n);
  if (rows === null) return { name, rows, ...shape, error: "the count is no number" };
  const last = MIGRATIONS_TABLE.test(value) ? lastMigration(query, value, columns ?? []) : null;
  return { name, rows, ...shape, ...(last === null ? {} : { lastMigration: last }) };
}

/** Null where they cannot be read. */
function columnsOf(query: Query, table: string): ColumnObservation[] | null {
  const read = readRows(query, COLUMNS, table);
  if (!read.ok || read.rows.length === 0 || read.rows.length > COLUMNS_MAX) return null;
  return read.rows.map((row) => {
    const fallback = typeof row.dflt_value === "string" ? clip(row.dflt_value, NAME_MAX) : null;
    const place = asCount(row.pk) ?? 0;
    return {
      name: asText(row.name, NAME_MAX) ?? "(unreadable)",
      type: asText(row.type, TYPE_MAX) ?? "",
      ...(asNumber(row.required) === 1 ? { notNull: true as const } : {}),
      ...(fallback === null ? {} : { default: fallback }),
      ...(place === 0 ? {} : { pk: place }),
    };
  });
}

/** The greatest of the ids: they begin with a time or a number, whichever package made them. */
function lastMigration(query: Query, table: string, columns: readonly ColumnObservation[]): string | null {
  const column = MIGRATION_NAMES.find((name) => columns.some((one) => one.name === name));
  if (column === undefined) return null;
  const name = quoteName(column);
  const read = readRows(query, `SELECT CAST(max(${name}) AS TEXT) AS last FROM ${quoteName(table)}`);
  return read.ok ? asText(read.rows[0]?.last, NAME_MAX) : null;
}

/** Which indexes are unique or partial, as their tables tell it. */
function indexKinds(
  query: Query,
  tables: readonly Record<string, unknown>[],
): ReadonlyMap<string, Pick<IndexObservation, "unique" | "partial">> {
  const rows = tables.flatMap(({ name }) => {
    if (typeof name !== "string" || RUNTIME_TABLE.test(name)) return [];
    const read = readRows(query, INDEXES_OF, name);
    return read.ok ? read.rows : [];
  });
  return new Map(
    rows.map((row) => [
      String(row.name),
      {
        ...(asNumber(row.is_unique) === 1 ? { unique: true as const } : {}),
        ...(asNumber(row.partial) === 1 ? { partial: true as const } : {}),
      },
    ]),
  );
}

function describeIndex(query: Query, name: unknown, table: unknown): Pick<IndexObservation, "columns"> {
  if (typeof name !== "string" || typeof table !== "string" || RUNTIME_TABLE.test(table)) return {};
  const read = readRows(query, COLUMNS_OF_INDEX, name);
  if (!read.ok || read.rows.length === 0 || read.rows.length > COLUMNS_MAX) return {};
  return { columns: read.rows.map((row) => asText(row.name, NAME_MAX)) };
}
