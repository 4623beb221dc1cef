/**
 * The result table as text, at most 100 columns wide: each condition on a line of its own, its values under it.
 * Leaves what stands in the cells to rows.ts.
 */
import { stripVTControlCharacters } from "node:util";
import { type Cell, eachLine, renderBareTable, wideRow } from "./bare-table.ts";
import { type Paint, PLAIN, TONES } from "./paint.ts";
import { COLUMNS, type ConditionRow } from "./rows.ts";
import { WIDTH } from "./wrap.ts";

export function renderTable(rows: readonly ConditionRow[], paint: Paint = PLAIN): string {
  const roomy = render(rows, paint, "  ");
  const fits = roomy.split("\n").every((line) => stripVTControlCharacters(line).length <= WIDTH);
  return fits ? roomy : render(rows, paint, " ");
}

function render(rows: readonly ConditionRow[], paint: Paint, gap: string): string {
  const lines: Cell[][] = [];
  for (const { condition, canary, cells, tone } of rows) {
    const name = paint("bold", condition);
    const titled = canary ? `${name} ${paint("dim", "(canary, must be convicted)")}` : name;
    lines.push(wideRow("", COLUMNS.length), wideRow(titled, COLUMNS.length));
    const [trials = "", ...rest] = cells;
    const verdict = rest.pop() ?? "";
    lines.push([`  ${trials}`, ...rest, eachLine(verdict, (line) => paint(TONES[tone], line))]);
  }
  const head = COLUMNS.map((title) => eachLine(title, (line) => paint("dim", line)));
  return renderBareTable({ head, rows: lines, gap });
}
