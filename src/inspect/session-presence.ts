/**
 * Whether a database holds a session at all: one that nobody created has an empty log, as one that has just been created
 * has, and only the table of sessions tells them apart. Reads only.
 */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import { asText, clip, type Query, quoteName, readRows } from "./foreign.ts";
import { LIST_TABLES } from "./sqlite-schema.ts";

/** Where a layout keeps what belongs to a session. */
export type SessionTables = {
  /** Whether a table is one of sessions; its key is `id`. */
  readonly sessions: (table: string) => boolean;
  /** Tables with rows of a session, and the column that names it. */
  readonly parts: readonly (readonly [table: string, column: string])[];
};

/** Most sessions that are named. */
const NAMED_MAX = 20;

/** What is wrong with asking for this session, in a sentence, and whether anything of it is there; null when nothing is. */
export function sessionDoubt(
  query: Query,
  session: string,
  { sessions, parts }: SessionTables,
): { readonly error: string; readonly absent: boolean } | null {
  const listed = readRows(query, LIST_TABLES);
  // A store that cannot be read is not one without sessions.
  if (!listed.ok) return { error: `cannot list the tables: ${listed.error}`, absent: false };
  const tables = listed.rows.flatMap(({ name }) => asText(name, 300) ?? []);
  const homes = tables.filter(sessions);
  const rooms = parts.filter(([table]) => tables.includes(table));
  for (const table of homes) {
    const read = readRows(query, `SELECT id FROM ${quoteName(table)} LIMIT 1`);
    if (!read.ok) return { error: `cannot read ${table}: ${read.error}`, absent: false };
  }
  for (const [table, column] of rooms) {
    const read = readRows(query, `SELECT ${quoteName(column)} FROM ${quoteName(table)} LIMIT 1`);
    if (!read.ok) return { error: `cannot read ${table}: ${read.error}`, absent: false };
  }
  const registered = homes.flatMap((table) => idsIn(query, table, "id"));
  if (registered.includes(session)) return null;
  const left = rooms.filter(([table, column]) => idsIn(query, table, column).includes(session));
  if (left.length > 0) {
    const where =
      homes.length === 0 ? "there is no table of sessions" : `it has no row in ${homes.join(", ")}`;
    const rows = left.map(([table]) => table).join(", ");
    return { error: `session ${session} has rows in ${rows}, and ${where}`, absent: false };
  }
  const others = rooms.flatMap(([table, column]) => idsIn(query, table, column));
  const known = [...new Set([...registered, ...others])].sort(byCodeUnit);
  return { error: `there is no session ${session}; ${named(known)}`, absent: true };
}

/** The sessions that a database names: those with a row of their own, and those of which only parts are left. In order. */
export function sessionsIn(
  query: Query,
  { sessions, parts }: SessionTables,
): { readonly registered: readonly string[]; readonly orphaned: readonly string[] } {
  const listed = readRows(query, LIST_TABLES);
  const tables = listed.ok ? listed.rows.flatMap(({ name }) => asText(name, 300) ?? []) : [];
  const registered = new Set(tables.filter(sessions).flatMap((table) => idsIn(query, table, "id")));
  const left = parts
    .filter(([table]) => tables.includes(table))
    .flatMap(([table, column]) => idsIn(query, table, column));
  return {
    registered: [...registered].sort(byCodeUnit),
    orphaned: [...new Set(left)].filter((id) => !registered.has(id)).sort(byCodeUnit),
  };
}

function idsIn(query: Query, table: string, column: string): string[] {
  const name = quoteName(column);
  const rows = readRows(query, `SELECT DISTINCT ${name} AS id FROM ${quoteName(table)} ORDER BY 1`);
  return rows.ok ? rows.rows.flatMap(({ id }) => asText(id, 200) ?? []) : [];
}

function named(sessions: readonly string[]): string {
  if (sessions.length === 0) return "the file holds none";
  const more = sessions.length > NAMED_MAX ? ` and ${sessions.length - NAMED_MAX} more` : "";
  return clip(`the file holds ${sessions.slice(0, NAMED_MAX).join(", ")}`, 3_000) + more;
}
