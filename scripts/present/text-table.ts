/**
 * The table of every command: columns with gaps between them, without rules and boxes, so that it reads well in a log
 * too, and never wider than it is told. Where the values need more, columns are narrowed, the widest first, and values
 * are folded inside their column. Leaves to its callers what stands in the cells, and their colours.
 */
import { fold, widthOf, widthUnbroken } from "./wrap.ts";

export type Column = {
  /** A table in which no column has one begins with its first row. */
  readonly title?: string;
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
/** Further lines of a text over the whole width stand in from its first. */
const HANGING = "  ";

export function renderTextTable({ columns, rows, width, gap = GAP, indent = 0 }: TextTable): string {
  const head = columns.map(({ title = "" }) => title);
  const measures = columns.map((column, place) =>
    measureOf(column, [head, ...rows.filter((row) => typeof row !== "string")], place),
  );
  const room = (between: number) => width - indent - between * (columns.length - 1);
  const fits = sum(measures.map(({ natural }) => natural)) <= room(gap);
  const between = fits ? gap : Math.min(gap, GAP_MIN);
  const widths = widthsOf(measures, room(between));
  const layOut = (cells: readonly string[]) => {
    const folded = columns.map((column, place) =>
      fold(cells[place] ?? "", widths[place] ?? 1).map((line) => padded(line, widths[place] ?? 1, column)),
    );
    const blank = widths.map((own) => " ".repeat(own));
    const height = Math.max(...folded.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      [" ".repeat(indent), folded.map((own, place) => own[line] ?? blank[place]).join(" ".repeat(between))]
        .join("")
        .trimEnd(),
    );
  };
  return [...(head.some((title) => title !== "") ? [head] : []), ...rows]
    .flatMap((row) => (typeof row === "string" ? spanning(row, width) : layOut(row)))
    .join("\n");
}

type Measure = {
  readonly values: readonly string[];
  /** With nothing folded. */
  readonly natural: number;
  /** With words whole, and the values of a column that is `whole`. */
  readonly least: number;
  readonly whole: boolean;
};

function measureOf({ whole = false }: Column, rows: readonly (readonly string[])[], place: number): Measure {
  const values = [...new Set(rows.map((cells) => cells[place] ?? ""))];
  const natural = Math.max(1, ...values.map(widthOf));
  return { values, natural, least: whole ? natural : Math.max(1, ...values.map(widthUnbroken)), whole };
}

/** Narrows the widest columns: with words whole; where that is not enough, inside words; at last in whole columns too. */
function widthsOf(measures: readonly Measure[], room: number): number[] {
  const leasts = [
    measures.map(({ least }) => least),
    measures.map(({ natural, whole }) => (whole ? natural : 1)),
    measures.map(() => 1),
  ];
  for (const least of leasts) {
    const capped = cappedTo(room, measures, least);
    if (capped !== null) return rounded(measures, capped, room);
  }
  throw new Error(`a table of ${measures.length} columns does not fit into ${room}`);
}

/** The same greatest width for all columns that want more; none where `least` does not fit either. */
function cappedTo(room: number, measures: readonly Measure[], least: readonly number[]): number[] | null {
  for (let cap = Math.max(...measures.map(({ natural }) => natural)); cap > 0; cap -= 1) {
    const widths = measures.map(({ natural }, place) => Math.min(natural, Math.max(cap, least[place] ?? 1)));
    if (sum(widths) <= room) return widths;
  }
  return null;
}

/** Takes from each column what its folded values leave empty, and unfolds those columns again that lack least. */
function rounded(measures: readonly Measure[], capped: readonly number[], room: number): number[] {
  const widths = measures.map(({ values }, place) =>
    Math.max(1, ...values.flatMap((value) => fold(value, capped[place] ?? 1)).map(widthOf)),
  );
  const lacking = measures
    .map(({ natural }, place) => ({ natural, place, lack: natural - (widths[place] ?? 1) }))
    .sort((a, b) => a.lack - b.lack);
  for (const { natural, place, lack } of lacking) if (sum(widths) + lack <= room) widths[place] = natural;
  return widths;
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
