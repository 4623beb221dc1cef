/** Which layouts a storage has, by the names of its tables. */
import { LAYOUTS } from "../../src/harnesses/index.ts";
import { asText, LIST_TABLES, OWN_LAYOUTS, type Query, readRows } from "../../src/inspect/index.ts";
import { UserError } from "../base/user-error.ts";

const ALL = [...LAYOUTS, ...OWN_LAYOUTS];
const NAMED_MAX = 20;

/** The layouts that have a table of that name; several may. */
export function layoutsOf(table: string): readonly string[] {
  return ALL.filter(({ owns }) => owns(table)).map(({ name }) => name);
}

/** The names of all tables, or why they cannot be listed. */
export function tablesIn(query: Query): {
  readonly tables: readonly string[];
  readonly error: string | null;
} {
  const listed = readRows(query, LIST_TABLES);
  return listed.ok
    ? { tables: listed.rows.map(({ name }) => asText(name, 300) ?? "(unreadable)"), error: null }
    : { tables: [], error: `cannot list the tables: ${listed.error}` };
}

/** A layout that is not known is refused by name, and never guessed at. */
export function unknownLayout(
  name: string,
  what: string,
  known: readonly string[],
  tables: readonly string[],
): UserError {
  const more = tables.length > NAMED_MAX ? ` and ${tables.length - NAMED_MAX} more` : "";
  const seen =
    tables.length === 0
      ? "it has no tables"
      : `its tables are ${tables.slice(0, NAMED_MAX).join(", ")}${more}`;
  return new UserError(`'${name}' keeps no ${what} in a layout that is known (${known.join(", ")}): ${seen}`);
}

export const HARNESS_LAYOUTS = LAYOUTS;
