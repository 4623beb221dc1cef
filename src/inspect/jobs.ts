/**
 * What the object is due to do, and which sessions it holds claimed, as far as the layouts of its storage tell. Which
 * layouts those are is read from `sqlite_schema` and from the names of keys; a table that belongs to none is named in
 * `error`, since it may hold work that nobody here can see. Nothing is thrown. Reads only.
 */
import type { ClaimObservation, JobObservation } from "../trace/index.ts";
import { asText, joinErrors, type Query, quoteName, readRows } from "./foreign.ts";
import type { Layout, Reader } from "./layout.ts";
import { OWN_LAYOUTS } from "./own-tables.ts";
import { LIST_TABLES } from "./sqlite-schema.ts";

export type JobsInspection = {
  readonly jobs: JobObservation[];
  readonly claims: ClaimObservation[];
  /** What stands out and takes nothing from the reading; absent when nothing does. */
  readonly notes?: string[];
  readonly error: string | null;
};

type JobsReading = {
  /** Left out where the key–value store's own table can be read, which is in a file. */
  readonly listKeys?: ListKeys;
  /** The object's clock in ms, by which a job is overdue. Left out, none is. */
  readonly now?: number;
};

/** Names of keys that begin with a prefix, in order. An object may not read its key–value store by SQL. */
export type ListKeys = (prefix: string) => readonly string[];

/** Where the runtime keeps the key–value store of an object with SQLite storage. */
const KEYS_TABLE = "_cf_KV";
/** Limit of a `snapshot.jobs` record. */
const ROWS_MAX = 1_000;
/** Fewest overdue jobs of one function that are a backlog: far above what a burst of sessions leaves for a moment. */
const BACKLOG_MIN = 10;
/** Most unknown tables, and most functions, that are named. */
const NAMED_MAX = 20;

/**
 * `layouts` are those that the storage may have beside the kit's and the runtime's own. `listKeys` is left out where the
 * key–value store's own table can be read, which is in a file.
 */
export function inspectJobs(
  query: Query,
  layouts: readonly Layout[],
  { listKeys, now }: JobsReading = {},
): JobsInspection {
  const errors = new Set<string>();
  const tables = readRows(query, LIST_TABLES);
  if (!tables.ok)
    return { jobs: [], claims: [], error: joinErrors([`cannot list the tables: ${tables.error}`]) };
  const names = tables.rows.map((row) => asText(row.name, 300) ?? "(unreadable)");
  const reader = readerOf(query, names, listKeys, (sentence) => errors.add(sentence));
  const { present, unknown } = recognise(names, layouts, reader.keys);
  if (names.length === 0) errors.add("there are no tables");
  if (unknown.length > 0) errors.add(unknownTables(unknown));
  const jobs = present.flatMap((layout) => layout.jobs?.(reader) ?? []).slice(0, ROWS_MAX);
  const notes = now === undefined ? [] : backlogs(jobs, now);
  return {
    jobs,
    ...(notes.length === 0 ? {} : { notes }),
    claims: present.flatMap((layout) => layout.claims?.(reader) ?? []).slice(0, ROWS_MAX),
    error: joinErrors([...errors]),
  };
}

/** Functions whose jobs pile up: what is due to one session is one job, so many overdue ones mean that nobody works them off. */
function backlogs(jobs: readonly JobObservation[], now: number): string[] {
  const overdue = jobs.flatMap(({ fn, dueAt, running }) =>
    dueAt !== null && dueAt < now && running !== true ? [{ fn, lateMs: now - dueAt }] : [],
  );
  return [...Map.groupBy(overdue, ({ fn }) => fn)]
    .filter(([, late]) => late.length >= BACKLOG_MIN)
    .map(([fn, late]) => {
      const oldestMs = Math.round(Math.max(...late.map(({ lateMs }) => lateMs)));
      return `${late.length} jobs of ${fn} are overdue, the oldest by ${oldestMs} ms`;
    })
    .slice(0, NAMED_MAX);
}

/** The layouts that have something in the storage, and the tables that belong to none. */
export function recognise(
  tables: readonly string[],
  layouts: readonly Layout[],
  listKeys: ListKeys,
): { readonly present: readonly Layout[]; readonly unknown: readonly string[] } {
  const hasKeys = tables.includes(KEYS_TABLE);
  const known = [...layouts, ...OWN_LAYOUTS];
  return {
    present: known.filter(
      ({ owns, keyPrefix }) =>
        tables.some(owns) || (keyPrefix !== undefined && hasKeys && listKeys(keyPrefix).length > 0),
    ),
    unknown: tables.filter((table) => !known.some(({ owns }) => owns(table))),
  };
}

function unknownTables(unknown: readonly string[]): string {
  const more = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : "";
  return `no known layout has the tables ${unknown.slice(0, NAMED_MAX).join(", ")}${more}`;
}

function readerOf(
  query: Query,
  names: readonly string[],
  listKeys: ListKeys | undefined,
  complain: Reader["complain"],
): Reader {
  const read = (table: string, what: string, sql: string, ...params: string[]) => {
    const rows = readRows(query, sql, ...params);
    if (!rows.ok) {
      complain(`cannot read ${table}: ${rows.error}`);
      return [];
    }
    if (rows.rows.length > ROWS_MAX)
      complain(`${table} has ${rows.rows.length} ${what}, the first ${ROWS_MAX} are read`);
    return rows.rows.slice(0, ROWS_MAX);
  };
  return {
    complain,
    tables: names,
    columns: (table) =>
      read(table, "columns", "SELECT name FROM pragma_table_info(?)", table).map(
        (row) => asText(row.name, 300) ?? "(unreadable)",
      ),
    rows: (table) => {
      if (names.includes(table)) return read(table, "rows", `SELECT * FROM ${quoteName(table)} ORDER BY 1`);
      complain(`there is no table ${table}`);
      return [];
    },
    keys: (prefix) =>
      listKeys?.(prefix) ??
      read(
        KEYS_TABLE,
        "keys",
        `SELECT key FROM ${KEYS_TABLE} WHERE substr(key, 1, length(?)) = ? ORDER BY key`,
        prefix,
        prefix,
      ).map((row) => asText(row.key, 2_000) ?? "(unreadable)"),
  };
}
