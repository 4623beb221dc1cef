/**
 * What lies in storage under one way of an upgrade, held against another way: tables by their columns, indexes, migrations,
 * types of events in the log, tables that lost all of their rows, rows that cannot be decoded. By subject, since each lays
 * out its own storage. Pure.
 *
 * Statements are carried along and never compared: an upgraded and a fresh database say the same in other words.
 */
import { z } from "zod";
import { diffEventTypes, diffSchemas, type Schema, type SchemaDiff } from "../inspect/schema-diff.ts";
import { columnText, indexText } from "../inspect/schema-words.ts";
import { byCodeUnit } from "../trace/by-code-unit.ts";
import { Count } from "../trace/ids.ts";
import type { LogEvent } from "../trace/observations.ts";

/** What one trial's storage and log showed. */
export type Stored = {
  readonly subject: string;
  /** Of the last reading that has tables; null where there is none. */
  readonly schema: Schema | null;
  readonly events: readonly LogEvent[];
  /** Tables that had rows before the reset and none at a reading after it, with how many they had. */
  readonly emptied: ReadonlyMap<string, number>;
  /** Rows and events that could not be decoded after the reset, each in a sentence. */
  readonly undecodable: readonly string[];
  /** Errors of activations and of the client that came back, after the reset. */
  readonly refusals: readonly string[];
};

const BeforeAfter = <T extends z.ZodType>(one: T) => ({ before: one, after: one });
const Names = z.array(z.string());
const Text = z.string().nullable();

export const StoredChange = z.strictObject({
  subject: z.string(),
  tables: z.strictObject({ gone: Names, new: Names }),
  /** Declarations in one line; null on the side that lacks the column. */
  columns: z.array(z.strictObject({ table: z.string(), column: z.string(), ...BeforeAfter(Text) })),
  /** Null on the side that lacks the index. */
  indexes: z.array(z.strictObject({ table: z.string(), index: z.string(), ...BeforeAfter(Text) })),
  /** The statements of what changed, as far as traces tell them. */
  statements: z.array(z.strictObject({ name: z.string(), ...BeforeAfter(Text) })),
  /** Tables that list migrations, where they list others. */
  migrations: z.array(
    z.strictObject({
      table: z.string(),
      ...BeforeAfter(z.strictObject({ rows: Count.nullable(), last: Text })),
    }),
  ),
  /** Tables whose columns one side does not tell. */
  notCompared: Names,
  /** Types of both sides in other versions; null stands for events without a version. */
  eventTypes: z.strictObject({
    gone: Names,
    new: Names,
    changed: z.array(z.strictObject({ type: z.string(), ...BeforeAfter(z.array(Count.nullable())) })),
  }),
  /** Tables that lost all of their rows with the reset, and do not under the other way. */
  emptied: z.array(z.strictObject({ table: z.string(), rows: Count })),
  /** What cannot be decoded, and is not so under the other way. */
  undecodable: Names,
});
export type StoredChange = z.infer<typeof StoredChange>;

/** By subject, those alone in which anything is other. A side without a reading tells of no change. */
export function storedChanges(before: readonly Stored[], after: readonly Stored[]): StoredChange[] {
  const old = Map.groupBy(before, ({ subject }) => subject);
  return [...Map.groupBy(after, ({ subject }) => subject)]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([subject, now]) => changeOf(subject, old.get(subject) ?? [], now))
    .filter((change) => !isEmpty(change));
}

/** Whether stored work is gone or cannot be read, which no other name of a column makes good. */
export function losesRows(changes: readonly StoredChange[]): boolean {
  return changes.some(({ emptied, undecodable }) => emptied.length + undecodable.length > 0);
}

function changeOf(subject: string, before: readonly Stored[], after: readonly Stored[]): StoredChange {
  const [old, now] = [mergedSchema(before), mergedSchema(after)];
  const diff = old === null || now === null ? null : diffSchemas(old, now);
  const [oldEvents, nowEvents] = [before, after].map((side) => side.flatMap(({ events }) => events));
  const types =
    oldEvents?.length === 0 || nowEvents?.length === 0
      ? { added: [], gone: [], changed: [] }
      : diffEventTypes(oldEvents ?? [], nowEvents ?? []);
  const alsoEmptied = new Set(before.flatMap(({ emptied }) => [...emptied.keys()]));
  const alsoUndecoded = new Set(before.flatMap(({ undecodable }) => undecodable));
  return {
    subject,
    ...(diff === null ? NO_DIFF : schemaChanges(diff)),
    eventTypes: {
      gone: [...types.gone],
      new: [...types.added],
      changed: types.changed.map(({ type, before: one, after: other }) => ({
        ...{ type, before: [...one], after: [...other] },
      })),
    },
    emptied: [...mostRows(after)]
      .filter(([table]) => !alsoEmptied.has(table))
      .map(([table, rows]) => ({ table, rows })),
    undecodable: [...new Set(after.flatMap(({ undecodable }) => undecodable))]
      .filter((text) => !alsoUndecoded.has(text))
      .sort(byCodeUnit),
  };
}

type SchemaPart = Pick<
  StoredChange,
  "tables" | "columns" | "indexes" | "statements" | "migrations" | "notCompared"
>;

const NO_DIFF: SchemaPart = {
  tables: { gone: [], new: [] },
  columns: [],
  indexes: [],
  statements: [],
  migrations: [],
  notCompared: [],
};

function schemaChanges({ tables, indexes, migrations, notCompared }: SchemaDiff): SchemaPart {
  const sql = [
    ...tables.changed.map((one) => ({ name: one.table, ...one.sql })),
    ...indexes.changed.map((one) => ({ name: one.before.name, ...one.sql })),
    ...indexes.gone.map(({ name, statement }) => ({ name, before: statement ?? null, after: null })),
    ...indexes.added.map(({ name, statement }) => ({ name, before: null, after: statement ?? null })),
  ];
  return {
    tables: { gone: [...tables.gone], new: [...tables.added] },
    columns: tables.changed.flatMap(({ table, added, gone, changed }) => [
      ...gone.map((one) => ({ table, column: one.name, before: columnText(one), after: null })),
      ...added.map((one) => ({ table, column: one.name, before: null, after: columnText(one) })),
      ...changed.map(({ column, before, after }) => ({
        ...{ table, column, before: columnText(before), after: columnText(after) },
      })),
    ]),
    indexes: [
      ...indexes.gone.map((one) => ({
        ...{ table: one.table, index: one.name, before: indexText(one), after: null },
      })),
      ...indexes.added.map((one) => ({
        ...{ table: one.table, index: one.name, before: null, after: indexText(one) },
      })),
      ...indexes.changed.map(({ before, after }) => ({
        table: before.table,
        index: before.name,
        before: indexText(before),
        after: indexText(after),
      })),
    ],
    statements: sql.filter(({ before, after }) => before !== null || after !== null),
    migrations: migrations.map(({ table, before, after }) => ({ table, before, after })),
    notCompared: [...notCompared],
  };
}

/** All tables that any trial has; of one that several have, the last telling. Null where no trial has a reading. */
function mergedSchema(all: readonly Stored[]): Schema | null {
  const schemas = all.flatMap(({ schema }) => schema ?? []);
  if (schemas.length === 0) return null;
  return {
    tables: lastOfEach(schemas.flatMap(({ tables }) => tables)),
    indexes: lastOfEach(schemas.flatMap(({ indexes }) => indexes)),
  };
}

/** By name, and of its table, where it has one. */
function lastOfEach<T extends { readonly name: string; readonly table?: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify([one.table ?? null, one.name]), one])).values()];
}

function mostRows(all: readonly Stored[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const { emptied } of all)
    for (const [table, rows] of emptied) most.set(table, Math.max(rows, most.get(table) ?? 0));
  return new Map([...most].sort(([a], [b]) => byCodeUnit(a, b)));
}

function isEmpty({ subject: _, tables, eventTypes, ...lists }: StoredChange): boolean {
  return [...Object.values(tables), ...Object.values(eventTypes), ...Object.values(lists)].every(
    ({ length }) => length === 0,
  );
}
