/**
 * The result table as text, at most 100 columns wide: conditions under the block that they come from, each with its
 * name on one line and its values under the column titles on the next. Leaves what stands in the cells to condition-rows.ts.
 */
import { stripVTControlCharacters } from "node:util";
import { COLUMNS, type ConditionRow, type Tone } from "./condition-rows.ts";
import { type Paint, PLAIN, TONES } from "./paint.ts";
import { WIDTH } from "./wrap.ts";

const MARKS: Record<Tone, string> = { good: "✓", bad: "✗", open: "?", plain: "·" };

const LEGEND =
  "✓ as expected  ✗ not  ? open  · not said | att.: attempts | effects/intended | woke: s after reset";

/** Values stand below the name, which follows the mark. */
const INDENT = "  ";

export function renderTable(rows: readonly ConditionRow[], paint: Paint = PLAIN): string {
  const layOut = columnsFor([COLUMNS, ...rows.flatMap(({ cells }) => (cells === null ? [] : [cells]))]);
  const families = [...Map.groupBy(rows, ({ family }) => family)];
  return [
    paint("dim", LEGEND),
    ...layOut(COLUMNS).map((line) => paint("dim", line)),
    ...families.flatMap(([family, own]) => [
      "",
      paint("bold", headingOf(family, own)),
      ...own.flatMap((row) => [...nameLines(row, paint), ...(row.cells === null ? [] : layOut(row.cells))]),
    ]),
  ].join("\n");
}

function headingOf(family: string, rows: readonly ConditionRow[]): string {
  const canaries = rows.every(({ canary }) => canary) ? ", each to be convicted" : "";
  return `${family} (${rows.length})${canaries}`;
}

/** The remark goes beside the name where there is room, else below it. */
function nameLines({ condition, remark, tone }: ConditionRow, paint: Paint): string[] {
  const name = `${paint(TONES[tone], MARKS[tone])} ${condition}`;
  if (remark === "") return [name];
  const together = `${name}  ${remark}`;
  return widthOf(together) <= WIDTH ? [together] : [name, `${INDENT}${remark}`];
}

/** Lays rows of cells out in common columns. Gaps are two wide where that fits. */
function columnsFor(all: readonly (readonly string[])[]): (cells: readonly string[]) => string[] {
  const widths = COLUMNS.map((_, column) =>
    Math.max(...all.flatMap((cells) => (cells[column] ?? "").split("\n").map(widthOf))),
  );
  const full = widths.reduce((sum, width) => sum + width, INDENT.length);
  const gap = full + 2 * (widths.length - 1) <= WIDTH ? "  " : " ";
  return (cells) => {
    const lines = cells.map((cell) => cell.split("\n"));
    const height = Math.max(...lines.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      (
        INDENT + widths.map((width, column) => (lines[column]?.[line] ?? "").padEnd(width)).join(gap)
      ).trimEnd(),
    );
  };
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
