import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { type RowLayout, undecodableRows } from "./undecodable-rows.ts";

const EVENTS: RowLayout = {
  table: "event",
  key: "id",
  columns: ["seq"],
  objects: ["data"],
  versioned: "type",
};

function found(layout: RowLayout, ...statements: readonly string[]) {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statement of statements) db.exec(statement);
    return undecodableRows((sql, ...params) => db.prepare(sql).all(...params), [layout]);
  } finally {
    db.close();
  }
}

it("names the rows that the layout cannot decode, and no other", () => {
  const rows = found(
    EVENTS,
    "CREATE TABLE event (id TEXT, seq INTEGER, type TEXT, data TEXT)",
    `INSERT INTO event VALUES ('good', 1, 'session.created.1', '{}'), ('torn', 2, 'session.created.12', '{"a":'),
      ('list', 3, 'a.1', '[]'), ('none', 4, 'a.1', NULL), ('bare', 5, 'session.created', '{}'), ('dotless', 6, 'created1', '{}')`,
  );
  expect(rows).toEqual([
    ...["list", "none", "torn"].map((row) => ({ table: "event", row, why: "data is no JSON object" })),
    ...["bare", "dotless"].map((row) => ({ table: "event", row, why: "type does not end in a version" })),
  ]);
});

it("says what a table lacks of its layout, and nothing of one that is not there", () => {
  expect(found(EVENTS, "CREATE TABLE event (id TEXT, data TEXT)")).toEqual([
    { table: "event", row: null, why: "it lacks seq, type" },
  ]);
  expect(found(EVENTS)).toEqual([]);
});
