/**
 * Which columns of a table stand beside each other so that no value has to be broken, and which give way: their values go
 * below the row, with their titles. Leaves folding, where nothing may give way any more, to text-table.ts. Pure.
 */
import { widthOf } from "./wrap.ts";

/** Cells in the order of the titles. */
type Cells = readonly string[];

type Fitting = {
  /** Of the columns that stay, in their order. */
  readonly titles: Cells;
  readonly kept: (cells: Cells) => string[];
  /** What gave way, e.g. `executor same`; nothing where a value is not said. */
  readonly below: (cells: Cells) => string[];
  readonly gap: number;
};

const GAPS = [2, 1];
const NOT_SAID = "–";

/**
 * @param yields the columns that may give way, in the order in which they do, once the widths are known.
 * @param room columns of a line.
 */
export function fittingColumns(
  titles: Cells,
  rows: readonly Cells[],
  room: number,
  yields: (widths: readonly number[]) => readonly number[],
): Fitting {
  const widths = titles.map((title, place) =>
    Math.max(widthOf(title), ...rows.map((cells) => widthOf(cells[place] ?? ""))),
  );
  const order = yields(widths);
  const steps = [...order.keys(), order.length].flatMap((count) =>
    GAPS.map((gap) => ({ gone: new Set(order.slice(0, count)), gap })),
  );
  const last = { gone: new Set(order), gap: 1 };
  const { gone, gap } =
    steps.find((step) => {
      const kept = widths.filter((_, place) => !step.gone.has(place));
      return kept.reduce((sum, one) => sum + one + step.gap, -step.gap) <= room;
    }) ?? last;
  const stays = (_: unknown, place: number) => !gone.has(place);
  return {
    titles: titles.filter(stays),
    kept: (cells) => cells.filter(stays),
    below: (cells) =>
      [...gone]
        .toSorted((a, b) => a - b)
        .filter((place) => (cells[place] ?? NOT_SAID) !== NOT_SAID)
        .map((place) => `${titles[place]} ${cells[place]?.replaceAll("\n", ", ")}`),
    gap,
  };
}
