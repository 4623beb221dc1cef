/**
 * The table of every command: columns with gaps between them, without rules and boxes, so that it reads well in a log
 * too, and never wider than it is told: where the values need more, they are folded inside their columns. Leaves to its
 * callers what stands in the cells, and their colours; to column-widths.ts how the columns share the width.
 */
import { columnWidths } from "./column-widths.ts";
import { fold, widthOf } from "./wrap.ts";

export type Column = {
  readonly title: string;
  /** Left where it is not said. */
  readonly align?: "left" | "right";
  /** Its values are folded only where nothing else is left to fold: numbers. */
  readonly whole?: boolean;
};

/** Cells, of which each may have several lines; or one text over the whole width, such as a name above its values. */
export type Row = readonly string[] | string;

export type TextTable = {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Of the widest line. */
  readonly width: number;
  /** Between columns, where there is room; else it is 1. */
  readonly gap?: number;
  /** Before titles and cells; a text over the whole width begins further left. */
  readonly indent?: number;
};

const GAP = 2;
const GAP_MIN = 1;
/** Words stay whole while they can; then a hash is broken before a word is, and nothing letter by letter but at last. */
const PIECES_MIN = [Number.POSITIVE_INFINITY, 24, 12, 6, 1];
/** Further lines of a text over the whole width stand in from its first. */
const HANGING = "  ";

export function renderTextTable({ columns, rows, width, gap = GAP, indent = 0 }: TextTable): string {
  const shown = [columns.map(({ title }) => title), ...rows];
  const { widths, between } = layOut(columns, shown, width - indent, gap);
  return shown
    .flatMap((row) =>
      typeof row === "string"
        ? spanning(row, width)
        : beside(columns, row, widths, between).map((line) => `${" ".repeat(indent)}${line}`),
    )
    .map((line) => line.trimEnd())
    .join("\n");
}

/** The gap gives way before a word is broken. */
function layOut(columns: readonly Column[], rows: readonly Row[], width: number, gap: number) {
  const cells = rows.filter((row) => typeof row !== "string");
  const contents = columns.map(({ whole = false }, place) => ({
    values: cells.map((row) => row[place] ?? ""),
    whole,
  }));
  const attempts = [[gap, Number.POSITIVE_INFINITY], ...PIECES_MIN.map((piece) => [GAP_MIN, piece])] as const;
  for (const [between, pieceMin] of attempts) {
    const widths = columnWidths(contents, width - between * (columns.length - 1), pieceMin);
    if (widths !== null) return { widths, between };
  }
  throw new Error(`a table of ${columns.length} columns does not fit into ${width}`);
}

/** The lines of one row. */
function beside(
  columns: readonly Column[],
  cells: readonly string[],
  widths: readonly number[],
  between: number,
): string[] {
  const folded = widths.map((own, place) => fold(cells[place] ?? "", own));
  const height = Math.max(...folded.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((column, place) => padded(folded[place]?.[line] ?? "", widths[place] ?? 1, column))
      .join(" ".repeat(between)),
  );
}

function padded(line: string, width: number, { align = "left" }: Column): string {
  const blank = " ".repeat(Math.max(0, width - widthOf(line)));
  return align === "left" ? `${line}${blank}` : `${blank}${line}`;
}

function spanning(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const words = text.trimStart();
  const indent = " ".repeat(text.length - words.length);
  return fold(words, width - indent.length - HANGING.length).map(
    (line, index) => `${indent}${index === 0 ? "" : HANGING}${line}`,
  );
}
