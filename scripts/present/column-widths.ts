/**
 * How wide the columns of a table become that do not fit beside each other with their values unfolded: narrowed step by
 * step, each time where it costs the fewest lines. Leaves the folding to wrap.ts and the drawing to text-table.ts. Pure.
 */
import { fold, widthOf, widthUnbroken } from "./wrap.ts";

export type ColumnContent = {
  /** From the first row to the last, titles among them. */
  readonly values: readonly string[];
  /** Folded only where nothing else is left to fold. */
  readonly whole: boolean;
};

/**
 * Null where the values cannot be brought into `room`.
 * @param pieceMin words may be broken into pieces of so many columns; `whole` columns only if that is 1.
 */
export function columnWidths(
  contents: readonly ColumnContent[],
  room: number,
  pieceMin: number,
): number[] | null {
  const columns = contents.map((content) => columnOf(content, pieceMin));
  const widths = columns.map(({ natural }) => natural);
  while (sum(widths) > room) {
    const before = linesOf(columns, widths);
    const steps = columns.flatMap(({ narrower }, place) => {
      const width = widths[place] ?? 1;
      const next = narrower(width);
      if (next === null) return [];
      const lines = linesOf(columns, widths.with(place, next)) - before;
      return [{ place, next, cost: lines / (width - next) }];
    });
    const [cheapest] = steps.sort((a, b) => a.cost - b.cost);
    if (cheapest === undefined) return null;
    widths[cheapest.place] = cheapest.next;
  }
  return unfolded(columns, widths, room);
}

type Column = {
  readonly natural: number;
  /** By row, with the values folded at this width. */
  readonly heights: (width: number) => readonly number[];
  /** The next width that the values can be folded to; null where there is none. */
  readonly narrower: (width: number) => number | null;
};

function columnOf({ values, whole }: ColumnContent, pieceMin: number): Column {
  const distinct = [...new Set(values)];
  const natural = Math.max(1, ...distinct.map(widthOf));
  const unbroken = Math.max(1, ...distinct.map(widthUnbroken));
  const least = whole && pieceMin > 1 ? natural : Math.min(unbroken, pieceMin);
  const known = new Map<number, { readonly width: number; readonly heights: readonly number[] }>();
  const folded = (width: number) => {
    const at = known.get(width);
    if (at !== undefined) return at;
    const lines = new Map(distinct.map((value) => [value, fold(value, width)]));
    const found = {
      width: Math.max(1, ...[...lines.values()].flat().map(widthOf)),
      heights: values.map((value) => lines.get(value)?.length ?? 1),
    };
    known.set(width, found);
    return found;
  };
  return {
    natural,
    heights: (width) => folded(width).heights,
    narrower: (width) => {
      if (width <= least) return null;
      const next = folded(width - 1).width;
      // A letter may be two columns wide.
      return next < width ? next : null;
    },
  };
}

/** Narrower steps may have saved more than was needed: what still fits is unfolded again, that which lacks least first. */
function unfolded(columns: readonly Column[], narrowed: readonly number[], room: number): number[] {
  const widths = [...narrowed];
  const lacking = columns
    .map(({ natural }, place) => ({ natural, place, lack: natural - (widths[place] ?? 1) }))
    .sort((a, b) => a.lack - b.lack);
  for (const { natural, place, lack } of lacking) if (sum(widths) + lack <= room) widths[place] = natural;
  return widths;
}

/** A row is as high as its highest cell. */
function linesOf(columns: readonly Column[], widths: readonly number[]): number {
  const heights = columns.map((column, place) => column.heights(widths[place] ?? 1));
  return sum((heights[0] ?? []).map((_, row) => Math.max(...heights.map((own) => own[row] ?? 1))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
