/** Tables and indexes, with how many rows each table has. */
import { z } from "zod";
import { columnText, diffSchemas, indexText, inspectSchema } from "../../../src/inspect/index.ts";
import { call } from "../../../src/link/call.ts";
import { PAYLOADS } from "../../../src/trace/payloads.ts";
import { SchemaResponse } from "../../../src/trace/protocol/subject-protocol.ts";
import { sha256 } from "../../local/files/copied-database.ts";
import { type Finding, found } from "../finding-codes.ts";
import type { Change, InspectKind } from "../inspect-kind.ts";
import { layoutsOf } from "../layouts.ts";

const { tables, indexes, error } = PAYLOADS["snapshot.schema"].shape;
const SchemaReading = z.strictObject({ tables, indexes, error });
type SchemaReading = z.infer<typeof SchemaReading>;
type Table = SchemaReading["tables"][number];
type Index = SchemaReading["indexes"][number];

export const schemaKind: InspectKind<SchemaReading> = {
  name: "schema",
  description: "tables, their rows, indexes",
  schema: SchemaReading,
  ofSession: false,
  ofFile: (query) => {
    const { tables, indexes, error } = inspectSchema(query, sha256);
    return { reading: { tables: [...tables], indexes: [...indexes], error }, findings: [] };
  },
  ofRecord: (record) =>
    record.type === "snapshot.schema"
      ? { tables: record.tables, indexes: record.indexes, error: record.error }
      : null,
  ofWorker: async (peer, path, signal) =>
    SchemaReading.parse(await call(peer, "GET", `${path}/schema`, SchemaResponse, { signal })),
  findings: ({ tables, error }) => {
    const unknown = tables.map(({ name }) => name).filter((name) => layoutsOf(name).length === 0);
    return [
      ...(error === null ? [] : [found("reading-error", { error })]),
      ...(tables.length === 0 && error === null ? [found("tables-none", {})] : []),
      ...(unknown.length === 0 ? [] : [found("tables-unknown", { tables: unknown })]),
      ...tables.flatMap(({ name, error: why }): Finding[] =>
        why === undefined ? [] : [found("table-uncounted", { table: name, error: why })],
      ),
    ];
  },
  changes: schemaChanges,
  summary: ({ tables, indexes }) => `tables: ${tables.length} · indexes: ${indexes.length}`,
  listings: ({ tables, indexes }) => [
    {
      columns: [
        { title: "table" },
        { title: "rows", align: "right", whole: true },
        { title: "statement", whole: true },
        { title: "layout" },
      ],
      rows: tables.map(({ name, rows, sql }) => [
        name,
        rows === null ? "–" : String(rows),
        sql ?? "–",
        layoutsOf(name).join(", ") || "unknown",
      ]),
    },
    {
      columns: [{ title: "index" }, { title: "on table" }],
      rows: indexes.map(({ name, table }) => [name, table]),
    },
  ],
};

/**
 * By columns and indexes, however their statements are written. A reading without columns, as older traces have it, tells of a
 * change by its statement alone. Row counts are told beside that.
 */
function schemaChanges(a: SchemaReading, b: SchemaReading): Change[] {
  const { tables, indexes, migrations, notCompared } = diffSchemas(a, b);
  const [ofA, ofB] = [a, b].map((one) => new Map(one.tables.map((table) => [table.name, table] as const)));
  const both = a.tables.flatMap((one) => {
    const other = ofB?.get(one.name);
    return other === undefined ? [] : [{ name: one.name, one, other }];
  });
  return [
    ...tables.gone.map((name) => ({ what: `table ${name}`, a: rowsText(ofA?.get(name)), b: null })),
    ...tables.added.map((name) => ({ what: `table ${name}`, a: null, b: rowsText(ofB?.get(name)) })),
    ...tables.changed.flatMap(({ table, added, gone, changed }): Change[] => [
      ...gone.map((column) => ({ what: `${table}.${column.name}`, a: columnText(column), b: null })),
      ...added.map((column) => ({ what: `${table}.${column.name}`, a: null, b: columnText(column) })),
      ...changed.map(({ column, before, after }) => ({
        ...{ what: `${table}.${column}`, a: columnText(before), b: columnText(after) },
      })),
    ]),
    ...both.flatMap(({ name, one, other }): Change[] => {
      const isOther =
        notCompared.includes(name) &&
        one.sql !== undefined &&
        other.sql !== undefined &&
        one.sql !== other.sql;
      return isOther ? [{ what: `statement of ${name}`, a: one.sql ?? "", b: other.sql ?? "" }] : [];
    }),
    ...indexes.gone.map((index) => ({ what: indexName(index), a: indexText(index), b: null })),
    ...indexes.added.map((index) => ({ what: indexName(index), a: null, b: indexText(index) })),
    ...indexes.changed.map(({ before, after }) => ({
      ...{ what: indexName(before), a: indexText(before), b: indexText(after) },
    })),
    ...migrations.map(({ table, before, after }) => ({
      ...{ what: `last of ${table}`, a: before.last ?? "unknown", b: after.last ?? "unknown" },
    })),
    ...both.flatMap(({ name, one, other }): Change[] =>
      one.rows === other.rows ? [] : [{ what: `rows of ${name}`, a: rowsText(one), b: rowsText(other) }],
    ),
  ];
}

function rowsText(table: Table | undefined): string {
  const rows = table?.rows ?? null;
  return rows === null ? "not counted" : `${rows} ${rows === 1 ? "row" : "rows"}`;
}

function indexName({ name, table }: Index): string {
  return `index ${name} on ${table}`;
}
