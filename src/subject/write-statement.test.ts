import { describe, expect, it } from "vitest";
import { writeIn } from "./write-statement.ts";

describe("the write of a statement", () => {
  it.each([
    ["INSERT INTO note VALUES (1)", "insert", "note"],
    ['insert or ignore into "my note" (n) select 1', "insert", "my note"],
    ["INSERT INTO main.note VALUES ('UPDATE other SET n = 1')", "insert", "note"],
    ["REPLACE INTO note VALUES (1)", "replace", "note"],
    ["UPDATE OR IGNORE note SET n = 1", "update", "note"],
    ["  -- a remark\n DELETE FROM `note` WHERE n = 1", "delete", "note"],
    [
      "WITH a AS (SELECT replace(n, 1, 2) AS n FROM note) INSERT INTO other SELECT n FROM a",
      "insert",
      "other",
    ],
    ["CREATE TABLE IF NOT EXISTS note (n INTEGER)", "create", "note"],
    ["CREATE UNIQUE INDEX IF NOT EXISTS by_n ON note (n)", "create", "note"],
    ["ALTER TABLE note ADD COLUMN m", "alter", "note"],
    ["DROP TABLE IF EXISTS note", "drop", "note"],
    ["SELECT 1; DELETE FROM note", "delete", "note"],
    ["REINDEX note", "other", null],
  ])("%s", (sql, kind, table) => expect(writeIn(sql)).toEqual({ kind, table }));

  it.each([
    "SELECT * FROM note",
    "SELECT replace(n, 'INSERT INTO note', '') FROM note",
    "WITH a AS (SELECT 1 AS n) SELECT n FROM a",
    "PRAGMA table_info(note)",
    "/* INSERT INTO note */ SELECT 1;",
  ])("is none where it only reads: %s", (sql) => expect(writeIn(sql)).toBe(null));
});
