/** A table without rules and boxes: gaps between columns read well in a CI log too. */
import Table, { type Cell, type HorizontalAlignment } from "cli-table3";

export type { Cell };

const BARE = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
} as const;

export type BareTable = {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly gap: string;
  /** By column; left where none is given. */
  readonly align?: readonly HorizontalAlignment[];
};

export function renderBareTable({ head, rows, gap, align = [] }: BareTable): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, column) => align[column] ?? "left"),
    chars: { ...BARE, middle: gap },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** One cell over the whole width, for a name above its values. */
export function wideRow(content: string, columns: number): Cell[] {
  return [{ content, colSpan: columns, hAlign: "left" }];
}

/** Colour codes do not survive a line break inside a cell, so each line gets its own. */
export function eachLine(text: string, change: (line: string) => string): string {
  return text.split("\n").map(change).join("\n");
}
