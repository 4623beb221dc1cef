/**
 * Two schemas compared by what they are: columns and indexes, in whatever order and however their statements are written. A
 * database that was upgraded and one that was made anew differ in quoting and order, and hold the same. Beside them, two logs
 * compared by the types of their events. Pure.
 *
 * Leaves to others: reading a schema (sqlite-schema.ts), rows that cannot be decoded (undecodable-rows.ts), words and tables.
 */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import type { ColumnObservation, IndexObservation, LogEvent, TableObservation } from "../trace/index.ts";

/** As an inspector reads it and a trace keeps it; `statements` are shown and not compared. */
export type Schema = {
  readonly tables: readonly TableObservation[];
  readonly indexes: readonly IndexObservation[];
  /** By the name of the table or the index, where those do not carry their own. */
  readonly statements?: ReadonlyMap<string, string>;
};

type BeforeAfter<T> = { readonly before: T; readonly after: T };

/** What may be other about a column. */
export const COLUMN_TRAITS = ["type", "notNull", "default", "pk"] as const;
type ColumnTrait = (typeof COLUMN_TRAITS)[number];

export type ColumnChange = BeforeAfter<ColumnObservation> & {
  readonly column: string;
  readonly what: readonly ColumnTrait[];
};

export type TableChange = {
  readonly table: string;
  readonly added: readonly ColumnObservation[];
  readonly gone: readonly ColumnObservation[];
  readonly changed: readonly ColumnChange[];
  /** Null where a side does not carry it. */
  readonly sql: BeforeAfter<string | null>;
};

export type IndexChange = BeforeAfter<IndexObservation> & { readonly sql: BeforeAfter<string | null> };

/** The migrations that a table lists, where the two sides list others. */
export type MigrationsChange = {
  readonly table: string;
} & BeforeAfter<{ readonly rows: number | null; readonly last: string | null }>;

export type SchemaDiff = {
  readonly tables: {
    readonly added: readonly string[];
    readonly gone: readonly string[];
    readonly changed: readonly TableChange[];
  };
  readonly indexes: {
    readonly added: readonly IndexObservation[];
    readonly gone: readonly IndexObservation[];
    readonly changed: readonly IndexChange[];
  };
  readonly migrations: readonly MigrationsChange[];
  /** Tables of both sides whose columns one of them does not tell: nothing is known of a change. */
  readonly notCompared: readonly string[];
};

/** The runtime's own: it forbids reading them, and they belong to no package. */
const RUNTIME_TABLE = /^_cf_/i;

export function diffSchemas(before: Schema, after: Schema): SchemaDiff {
  const old = byName(before.tables);
  const now = byName(after.tables);
  const both = [...old.values()].flatMap((table) => {
    const other = now.get(table.name);
    return other === undefined ? [] : [{ before: table, after: other }];
  });
  const sqlOf = (name: string) => ({ before: statementIn(before, name), after: statementIn(after, name) });
  return {
    tables: {
      added: namesOnlyIn(now, old),
      gone: namesOnlyIn(old, now),
      changed: both.flatMap((pair) => tableChange(pair, sqlOf(pair.before.name))),
    },
    indexes: diffIndexes(before.indexes, after.indexes, sqlOf),
    migrations: both.flatMap(migrationsChange),
    notCompared: both
      .filter((pair) => !RUNTIME_TABLE.test(pair.before.name) && !areTold(pair))
      .map((pair) => pair.before.name)
      .sort(byCodeUnit),
  };
}

/** Whether nothing is other in any table or index. What was not compared is not the same for that. */
export function isSameSchema({ tables, indexes, notCompared }: SchemaDiff): boolean {
  const changes = [tables.added, tables.gone, tables.changed, indexes.added, indexes.gone, indexes.changed];
  return [...changes, notCompared].every(({ length }) => length === 0);
}

function statementIn({ tables, indexes, statements }: Schema, name: string): string | null {
  const own = [...tables, ...indexes].find((one) => one.name === name)?.statement;
  return own ?? statements?.get(name) ?? null;
}

function byName(tables: readonly TableObservation[]): ReadonlyMap<string, TableObservation> {
  return new Map([...tables].sort((a, b) => byCodeUnit(a.name, b.name)).map((table) => [table.name, table]));
}

function namesOnlyIn(there: ReadonlyMap<string, unknown>, elsewhere: ReadonlyMap<string, unknown>): string[] {
  return [...there.keys()].filter((name) => !elsewhere.has(name));
}

function areTold({ before, after }: BeforeAfter<TableObservation>): boolean {
  return before.columns !== undefined && after.columns !== undefined;
}

function tableChange(
  { before, after }: BeforeAfter<TableObservation>,
  sql: BeforeAfter<string | null>,
): TableChange[] {
  if (before.columns === undefined || after.columns === undefined) return [];
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const now = new Map(after.columns.map((column) => [column.name, column]));
  const added = inOrder([...now.values()].filter(({ name }) => !old.has(name)));
  const gone = inOrder([...old.values()].filter(({ name }) => !now.has(name)));
  const changed = inOrder([...old.values()]).flatMap((column): ColumnChange[] => {
    const other = now.get(column.name);
    if (other === undefined) return [];
    const what = COLUMN_TRAITS.filter((trait) => traitOf(column, trait) !== traitOf(other, trait));
    return what.length === 0 ? [] : [{ column: column.name, what, before: column, after: other }];
  });
  if (added.length + gone.length + changed.length === 0) return [];
  return [{ table: before.name, added, gone, changed, sql }];
}

function inOrder(columns: readonly ColumnObservation[]): ColumnObservation[] {
  return [...columns].sort((a, b) => byCodeUnit(a.name, b.name));
}

/** SQLite reads a type whatever its case, and a default whatever stands around it. */
function traitOf(column: ColumnObservation, trait: ColumnTrait): string | number | boolean {
  switch (trait) {
    case "type":
      return column.type.trim().toUpperCase();
    case "default":
      return column.default?.trim() ?? "";
    case "notNull":
      return column.notNull ?? false;
    case "pk":
      return column.pk ?? 0;
  }
}

/** An index that SQLite made for a constraint has a number for a name, which depends on their order. */
function identityOf(index: IndexObservation): string {
  const isMade = index.name.startsWith("sqlite_autoindex_");
  return JSON.stringify(isMade ? [index.table, null, index.columns ?? []] : [index.table, index.name]);
}

function shapeOf({ columns, unique, partial }: IndexObservation): string {
  return JSON.stringify([columns ?? null, unique ?? false, partial ?? false]);
}

function diffIndexes(
  before: readonly IndexObservation[],
  after: readonly IndexObservation[],
  sqlOf: (name: string) => BeforeAfter<string | null>,
): SchemaDiff["indexes"] {
  const sorted = (indexes: readonly IndexObservation[]) =>
    new Map(
      [...indexes]
        .filter(({ table }) => !RUNTIME_TABLE.test(table))
        .map((index) => [identityOf(index), index] as const)
        .sort(([a], [b]) => byCodeUnit(a, b)),
    );
  const old = sorted(before);
  const now = sorted(after);
  return {
    added: [...now].flatMap(([id, index]) => (old.has(id) ? [] : [index])),
    gone: [...old].flatMap(([id, index]) => (now.has(id) ? [] : [index])),
    changed: [...old].flatMap(([id, index]): IndexChange[] => {
      const other = now.get(id);
      // A side that does not tell the columns tells nothing of a change.
      if (other?.columns === undefined || index.columns === undefined) return [];
      return shapeOf(index) === shapeOf(other)
        ? []
        : [{ before: index, after: other, sql: sqlOf(index.name) }];
    }),
  };
}

function migrationsChange({ before, after }: BeforeAfter<TableObservation>): MigrationsChange[] {
  if (before.lastMigration === undefined && after.lastMigration === undefined) return [];
  const told = ({ rows, lastMigration }: TableObservation) => ({ rows, last: lastMigration ?? null });
  const change = { table: before.name, before: told(before), after: told(after) };
  const isSame = change.before.rows === change.after.rows && change.before.last === change.after.last;
  return isSame ? [] : [change];
}

export type EventTypesDiff = {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Types of both sides in other versions; a version that no event tells is null. */
  readonly changed: readonly ({ readonly type: string } & BeforeAfter<readonly (number | null)[]>)[];
};

/** A type that one log lacks may only not have come up in it: compare logs of the same work. */
export function diffEventTypes(before: readonly LogEvent[], after: readonly LogEvent[]): EventTypesDiff {
  const old = versionsByType(before);
  const now = versionsByType(after);
  return {
    added: namesOnlyIn(now, old),
    gone: namesOnlyIn(old, now),
    changed: [...old].flatMap(([type, versions]) => {
      const others = now.get(type);
      if (others === undefined || JSON.stringify(versions) === JSON.stringify(others)) return [];
      return [{ type, before: versions, after: others }];
    }),
  };
}

function versionsByType(events: readonly LogEvent[]): ReadonlyMap<string, readonly (number | null)[]> {
  const found = new Map<string, Set<number | null>>();
  for (const { type, version, wrapped } of events) {
    // A call inside another one stands under the other's event.
    if (wrapped === true) continue;
    const versions = found.get(type) ?? new Set();
    found.set(type, versions.add(version ?? null));
  }
  return new Map(
    [...found]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([type, versions]) => [type, [...versions].sort((a, b) => (a ?? -1) - (b ?? -1))]),
  );
}
