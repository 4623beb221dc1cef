/** Tables and indexes, with how many rows each table has. */
import { z } from "zod";
import { inspectSchema } from "../../../src/inspect/index.ts";
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
  changes: (a, b) => [
    ...changesOf(a.tables, b.tables, ({ name }) => `table ${name}`, tableText, isSameTable),
    ...changesOf(
      a.indexes,
      b.indexes,
      ({ name, table }) => `index ${name} on ${table}`,
      () => "there",
      () => true,
    ),
  ],
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

function tableText({ rows, sql }: Table): string {
  return `${rows === null ? "not counted" : `${rows} ${rows === 1 ? "row" : "rows"}`}${sql === undefined ? "" : `, statement ${sql}`}`;
}

/** A statement that one of the readings does not give says nothing. */
function isSameTable(a: Table, b: Table): boolean {
  return a.rows === b.rows && (a.sql === undefined || b.sql === undefined || a.sql === b.sql);
}

function changesOf<T>(
  a: readonly T[],
  b: readonly T[],
  what: (one: T) => string,
  text: (one: T) => string,
  isSame: (a: T, b: T) => boolean,
): Change[] {
  const [ofA, ofB] = [a, b].map((all) => new Map(all.map((one) => [what(one), one] as const)));
  return [...new Set([...a, ...b].map(what))].flatMap((name): Change[] => {
    const [one, other] = [ofA?.get(name), ofB?.get(name)];
    if (one !== undefined && other !== undefined && isSame(one, other)) return [];
    return [
      {
        what: name,
        a: one === undefined ? null : text(one),
        b: other === undefined ? null : text(other),
      },
    ];
  });
}
