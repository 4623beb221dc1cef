/** Schemas of real databases, made and changed by statements, compared as they were read. */
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Query } from "./foreign.ts";
import { diffEventTypes, diffSchemas, isSameSchema, type Schema } from "./schema-diff.ts";
import { inspectSchema, readStatements } from "./sqlite-schema.ts";

function schemaOf(...statements: readonly string[]): Schema {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statement of statements) db.exec(statement);
    const query: Query = (sql, ...params) => db.prepare(sql).all(...params) as Record<string, unknown>[];
    const { tables, indexes, error } = inspectSchema(query);
    expect(error).toBeNull();
    return { tables, indexes, statements: readStatements(query) };
  } finally {
    db.close();
  }
}

const OLD = [
  "CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, cost REAL NOT NULL DEFAULT 0)",
  "CREATE INDEX session_title_idx ON session (title)",
  "CREATE TABLE gone (id TEXT)",
  "CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER)",
  "INSERT INTO migration VALUES ('20260101_first', 1)",
];

const SESSION_NOW = "CREATE TABLE session (id TEXT PRIMARY KEY, cost TEXT, seq INTEGER NOT NULL)";

describe("two schemas", () => {
  it("are the same whatever the order and the quoting of their statements", () => {
    const other = schemaOf(
      "CREATE TABLE `migration` (`time_completed` integer, `id` text PRIMARY KEY)",
      "INSERT INTO migration VALUES (1, '20260101_first')",
      'CREATE TABLE "session" ("cost" real DEFAULT 0 NOT NULL, "id" text, "title" text, PRIMARY KEY ("id"))',
      "CREATE TABLE gone (id TEXT)",
      "CREATE INDEX `session_title_idx` ON `session` (`title`)",
    );
    const diff = diffSchemas(schemaOf(...OLD), other);
    expect(diff.tables).toEqual({ added: [], gone: [], changed: [] });
    expect(diff.indexes).toEqual({ added: [], gone: [], changed: [] });
    expect(isSameSchema(diff)).toBe(true);
  });

  it("differ in tables, columns and indexes that came, went or changed, and carry their statements", () => {
    const now = schemaOf(
      SESSION_NOW,
      "CREATE UNIQUE INDEX session_seq_idx ON session (seq) WHERE seq > 0",
      "CREATE TABLE fresh (id TEXT)",
      "CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER)",
      "INSERT INTO migration VALUES ('20260101_first', 1), ('20260202_second', 2)",
    );
    const diff = diffSchemas(schemaOf(...OLD), now);
    expect(diff.tables.added).toEqual(["fresh"]);
    expect(diff.tables.gone).toEqual(["gone"]);
    expect(diff.tables.changed).toEqual([
      {
        table: "session",
        added: [{ name: "seq", type: "INTEGER", notNull: true }],
        gone: [{ name: "title", type: "TEXT" }],
        changed: [
          {
            column: "cost",
            what: ["type", "notNull", "default"],
            before: { name: "cost", type: "REAL", notNull: true, default: "0" },
            after: { name: "cost", type: "TEXT" },
          },
        ],
        sql: { before: OLD[0], after: SESSION_NOW },
      },
    ]);
    expect(diff.indexes.gone).toEqual([{ name: "session_title_idx", table: "session", columns: ["title"] }]);
    expect(diff.indexes.added).toEqual([
      { name: "session_seq_idx", table: "session", columns: ["seq"], unique: true, partial: true },
    ]);
    expect(diff.indexes.changed).toEqual([]);
    expect(diff.migrations).toEqual([
      {
        table: "migration",
        before: { rows: 1, last: "20260101_first" },
        after: { rows: 2, last: "20260202_second" },
      },
    ]);
    expect(isSameSchema(diff)).toBe(false);
  });

  it("are not called the same where a side does not tell its columns", () => {
    const old = schemaOf(...OLD);
    const silent = { ...old, tables: old.tables.map(({ columns: _, ...table }) => table) };
    const diff = diffSchemas(silent, old);
    expect(diff.notCompared).toEqual(["gone", "migration", "session"]);
    expect(isSameSchema(diff)).toBe(false);
  });
});

describe("the comparison of schemas", () => {
  const column = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    type: fc.constantFrom("TEXT", "INTEGER"),
    required: fc.boolean(),
  });
  const table = fc.record({
    name: fc.constantFrom("t1", "t2", "t3"),
    columns: fc.uniqueArray(column, { selector: ({ name }) => name, minLength: 1 }),
    indexed: fc.boolean(),
  });
  const schema = fc
    .uniqueArray(table, { selector: ({ name }) => name })
    .map((tables) =>
      tables.flatMap(({ name, columns, indexed }) => [
        `CREATE TABLE ${name} (${columns.map((one) => `${one.name} ${one.type}${one.required ? " NOT NULL" : ""}`).join(", ")})`,
        ...(indexed ? [`CREATE INDEX ${name}_idx ON ${name} (${columns[0]?.name})`] : []),
      ]),
    )
    .map((statements) => schemaOf(...statements));

  it("finds nothing between a schema and itself, in any order of its tables and columns", () => {
    fc.assert(
      fc.property(schema, (one) => {
        const turned: Schema = {
          tables: one.tables.toReversed().map((table) => ({
            ...table,
            ...(table.columns === undefined ? {} : { columns: table.columns.toReversed() }),
          })),
          indexes: one.indexes.toReversed(),
        };
        expect(isSameSchema(diffSchemas(one, turned))).toBe(true);
      }),
    );
  });

  it("says the opposite the other way round", () => {
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        const there = diffSchemas(one, other);
        const back = diffSchemas(other, one);
        expect(back.tables.added).toEqual(there.tables.gone);
        expect(back.tables.gone).toEqual(there.tables.added);
        expect(back.indexes.added).toEqual(there.indexes.gone);
        expect(back.tables.changed.map(({ table, added, gone }) => [table, gone, added])).toEqual(
          there.tables.changed.map(({ table, added, gone }) => [table, added, gone]),
        );
        expect(back.indexes.changed.length).toBe(there.indexes.changed.length);
      }),
    );
  });
});

it("compares logs by the types of their events and the versions of those", () => {
  const ev = (seq: number, type: string, version?: number) => ({
    seq,
    type,
    ...(version === undefined ? {} : { version }),
  });
  const old = [ev(0, "created", 1), ev(1, "step.ended", 1), ev(2, "switched", 1)];
  const now = [
    ev(0, "created", 1),
    ev(1, "step.ended", 2),
    ev(2, "epoch", 1),
    { ...ev(2, "x"), wrapped: true },
  ];
  expect(diffEventTypes(old, now)).toEqual({
    added: ["epoch"],
    gone: ["switched"],
    changed: [{ type: "step.ended", before: [1], after: [2] }],
  });
});
