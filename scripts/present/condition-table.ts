/**
 * The result table as text: conditions under the block that they come from, each with its name on one line and its
 * values under the column titles below it. In a narrow terminal the longest words go below the values. Leaves what stands in the cells to condition-rows.ts.
 */
import { COLUMNS, type ConditionRow, KINDS, type Tone } from "./condition-rows.ts";
import { fittingColumns } from "./fitting-columns.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { TONES } from "./paint.ts";
import { type Row, renderTextTable } from "./text-table.ts";
import { widthOf, wrap } from "./wrap.ts";

const MARKS: Record<Tone, string> = { good: "✓", bad: "✗", open: "?", plain: "·" };

const LEGEND =
  "✓ as expected  ✗ not  ? open  · not said | att.: attempts | effects/intended | woke: s after reset";

/** Values stand below the name, which follows the mark. */
const INDENT = "  ";

/** Counts stand in narrower columns, which give way to nothing. */
const WORD_MIN = 12;

export function renderTable(rows: readonly ConditionRow[], page: Page = PLAIN_PAGE): string {
  const { paint, width } = page;
  const families = [...Map.groupBy(rows, ({ family }) => family)];
  const cells = rows.flatMap((row) => (row.cells === null ? [] : [row.cells]));
  const { titles, kept, below, gap } = fittingColumns(COLUMNS, cells, width - INDENT.length, widestWords);
  const table = renderTextTable({
    columns: titles.map((title) => ({ title: paint("dim", title) })),
    rows: families.flatMap(([family, own]): Row[] => [
      "",
      paint("bold", headingOf(family, own)),
      ...own.flatMap((row) => [
        ...nameLines(row, page),
        ...(row.cells === null ? [] : [kept(row.cells)]),
        ...noteLines([...(row.cells === null ? [] : below(row.cells)), row.note], page),
      ]),
    ]),
    width,
    gap,
    indent: INDENT.length,
  });
  return [...wrap(LEGEND, width).map((line) => paint("dim", line)), table].join("\n");
}

/** Words give way before numbers and times do, the longest first. */
function widestWords(widths: readonly number[]): number[] {
  return [...widths.keys()]
    .filter((place) => KINDS[place] === "words" && (widths[place] ?? 0) > WORD_MIN)
    .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
}

function noteLines(parts: readonly string[], { paint, width }: Page): string[] {
  const note = parts.filter((part) => part !== "").join(" · ");
  return note === "" ? [] : wrap(note, width, INDENT).map((line) => paint("dim", line));
}

function headingOf(family: string, rows: readonly ConditionRow[]): string {
  const canaries = rows.every(({ canary }) => canary) ? ", each to be convicted" : "";
  return `${family} (${rows.length})${canaries}`;
}

/** The remark goes beside the name where there is room, else below it. */
function nameLines({ condition, remark, tone }: ConditionRow, { paint, width }: Page): string[] {
  const name = `${paint(TONES[tone], MARKS[tone])} ${condition}`;
  if (remark === "") return [name];
  const together = `${name}  ${remark}`;
  return widthOf(together) <= width ? [together] : [name, `${INDENT}${remark}`];
}
