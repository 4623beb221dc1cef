import { describe, expect, it } from "vitest";
import { type Column, type Row, renderTextTable, type TextTable } from "./text-table.ts";

const COLUMNS: readonly Column[] = [
  { title: "executor" },
  { title: "cause" },
  { title: "s\nmax", align: "right", whole: true },
];
const ROWS: readonly Row[] = [
  "a/name",
  ["replacement-with-state", "model-reissue", "23.5"],
  ["same", "one\nanother", "1"],
];
const linesOf = (changes: Partial<TextTable> = {}) =>
  renderTextTable({ columns: COLUMNS, rows: ROWS, width: 100, ...changes }).split("\n");

describe("a table", () => {
  it("puts each value under its title, and lines of a cell under each other", () => {
    expect(linesOf({ indent: 2 })).toEqual([
      "  executor                cause             s",
      "                                          max",
      "a/name",
      "  replacement-with-state  model-reissue  23.5",
      "  same                    one               1",
      "                          another",
    ]);
  });

  it("keeps its gap as long as words stay whole", () => {
    const rows: Row[] = [["indistinguishable", "unresolved", "23.5"]];
    const words = "indistinguishable".length + "unresolved".length + "23.5".length;
    expect(linesOf({ rows, gap: 3, width: words + 6 })[2]).toBe("indistinguishable   unresolved   23.5");
    expect(linesOf({ rows, gap: 3, width: words + 5 })[2]).toBe("indistinguishable unresolved 23.5");
  });

  it("folds a value inside its column, where that costs the fewest lines", () => {
    expect(linesOf({ width: 38 })).toEqual([
      "executor                cause       s",
      "                                  max",
      "a/name",
      "replacement-with-state  model-   23.5",
      "                        reissue",
      "same                    one         1",
      "                        another",
    ]);
  });

  it("breaks words only where folding at hyphens is not enough, and whole columns last", () => {
    const rows: Row[] = [["indistinguishable", "ok", "299/299"]];
    expect(linesOf({ rows, width: 20 }).slice(2)).toEqual(["indist ok    299/299", "inguis", "hable"]);
    expect(linesOf({ rows: [["0123456789".repeat(3), "unresolved", "1"]], width: 40 }).slice(2)).toEqual([
      "0123456789012345678901234 unresolved   1",
      "56789",
    ]);
    for (const width of [5, 8, 12, 20])
      for (const line of linesOf({ rows, width })) expect(line.length).toBeLessThanOrEqual(width);
  });

  it("lets a text over the whole width widen no column, and stands its further lines in", () => {
    const name = "  opencode/after-commit/kill (canary, must be convicted)";
    expect(linesOf({ rows: [name, ["same", "ok", "1"]], width: 40 }).slice(2)).toEqual([
      "  opencode/after-commit/kill (canary,",
      "    must be convicted)",
      "same      ok       1",
    ]);
  });

  it("has its titles when it has no row", () => {
    expect(linesOf({ rows: [] })).toEqual(["executor  cause    s", "                 max"]);
  });

  it("cannot have more columns than its width", () => {
    expect(() => linesOf({ width: 4 })).toThrow("does not fit");
  });
});
