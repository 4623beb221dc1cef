/**
 * The result table as text: conditions under the block that they come from, each with its name on one line and its
 * values under the column titles below it. Leaves what stands in the cells to condition-rows.ts.
 */
import { COLUMNS, type ConditionRow, type Tone } from "./condition-rows.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { TONES } from "./paint.ts";
import { type Row, renderTextTable } from "./text-table.ts";
import { widthOf, wrap } from "./wrap.ts";

const MARKS: Record<Tone, string> = { good: "✓", bad: "✗", open: "?", plain: "·" };

const LEGEND =
  "✓ as expected  ✗ not  ? open  · not said | att.: attempts | effects/intended | woke: s after reset";

/** Values stand below the name, which follows the mark. */
const INDENT = "  ";

export function renderTable(rows: readonly ConditionRow[], page: Page = PLAIN_PAGE): string {
  const { paint, width } = page;
  const families = [...Map.groupBy(rows, ({ family }) => family)];
  const table = renderTextTable({
    columns: COLUMNS.map((title) => ({ title: paint("dim", title) })),
    rows: families.flatMap(([family, own]): Row[] => [
      "",
      paint("bold", headingOf(family, own)),
      ...own.flatMap((row) => [
        ...nameLines(row, page),
        ...(row.cells === null ? [] : [row.cells]),
        ...(row.note === "" ? [] : wrap(row.note, width, INDENT).map((line) => paint("dim", line))),
      ]),
    ]),
    width,
    indent: INDENT.length,
  });
  return [...wrap(LEGEND, width).map((line) => paint("dim", line)), table].join("\n");
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
