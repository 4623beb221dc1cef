/**
 * The result table as text, at most 100 columns wide: each condition on a line of its own, its values under it.
 * Leaves what stands in the cells to rows.ts.
 */
import { stripVTControlCharacters } from "node:util";
import Table from "cli-table3";
import { type Paint, PLAIN, TONES } from "./paint.ts";
import { COLUMNS, type ConditionRow } from "./rows.ts";
import { WIDTH } from "./wrap.ts";

/** No rules and no boxes: gaps between columns read well in a CI log too. */
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

export function renderTable(rows: readonly ConditionRow[], paint: Paint = PLAIN): string {
  const roomy = render(rows, paint, "  ");
  const fits = roomy.split("\n").every((line) => stripVTControlCharacters(line).length <= WIDTH);
  return fits ? roomy : render(rows, paint, " ");
}

function render(rows: readonly ConditionRow[], paint: Paint, gap: string): string {
  const table = new Table({
    head: COLUMNS.map((title) => eachLine(title, (line) => paint("dim", line))),
    chars: { ...BARE, middle: gap },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
  });
  const wide = (content: string) => [{ content, colSpan: COLUMNS.length, hAlign: "left" as const }];
  for (const { condition, canary, cells, tone } of rows) {
    const name = paint("bold", condition);
    table.push(wide(""), wide(canary ? `${name} ${paint("dim", "(canary, must be convicted)")}` : name));
    const [trials = "", ...rest] = cells;
    const verdict = rest.pop() ?? "";
    table.push([`  ${trials}`, ...rest, eachLine(verdict, (line) => paint(TONES[tone], line))]);
  }
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Colour codes do not survive a line break inside a cell, so each line gets its own. */
function eachLine(text: string, change: (line: string) => string): string {
  return text.split("\n").map(change).join("\n");
}
