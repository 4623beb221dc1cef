/** The comparison as text, at most 100 columns wide. Leaves what stands in it to compare-hosts.ts. */
import { type Cell, renderBareTable, wideRow } from "../../present/bare-table.ts";
import { type Paint, PLAIN } from "../../present/paint.ts";
import { WIDTH, wrap } from "../../present/wrap.ts";
import type { Comparison, RuleRow, UncertainRow } from "./compare-hosts.ts";

const RULE_WIDTH = 54;
const SECTION_WIDTH = 13;
const QUESTION_WIDTH = 26;

const TONES = {
  holds: "green",
  agree: "green",
  fails: "red",
  differ: "red",
  "not run": "yellow",
  alone: "reset",
} as const;

export function renderComparison({ rules, uncertain }: Comparison, paint: Paint = PLAIN): string {
  const withSdk = rules.some(({ sdk }) => sdk !== null);
  return [
    renderRules(rules, withSdk, paint),
    paint("bold", "Uncertain: reported, not asserted"),
    renderUncertain(uncertain, withSdk),
    ...reasons(rules, paint),
  ].join("\n\n");
}

function renderRules(rules: readonly RuleRow[], withSdk: boolean, paint: Paint): string {
  const head = ["rule", "section", "stand-in", ...(withSdk ? ["sdk", ""] : [])];
  const rows: Cell[][] = [];
  let group = "";
  for (const row of rules) {
    if (row.group !== group) rows.push(wideRow(`\n${paint("bold", row.group)}`, head.length));
    group = row.group;
    const tinted = (word: keyof typeof TONES) => paint(TONES[word], word);
    const rule = row.id === null ? row.rule : `${row.rule} (${row.id})`;
    rows.push([
      cell(rule, RULE_WIDTH),
      cell(row.section, SECTION_WIDTH),
      tinted(row.standIn),
      ...(withSdk ? [tinted(row.sdk ?? "not run"), agreement(row, tinted)] : []),
    ]);
  }
  return renderBareTable({ head, rows, gap: "  " });
}

function agreement(row: RuleRow, tinted: (word: keyof typeof TONES) => string): string {
  return row.agreement === "not run" ? "needs a seam" : tinted(row.agreement);
}

function renderUncertain(rows: readonly UncertainRow[], withSdk: boolean): string {
  const width = Math.floor((WIDTH - QUESTION_WIDTH - 4) / (withSdk ? 2 : 1));
  return renderBareTable({
    head: ["question", "stand-in", ...(withSdk ? ["sdk"] : [])],
    rows: rows.map(({ question, standIn, sdk }) => [
      cell(question, QUESTION_WIDTH),
      cell(standIn, width),
      ...(sdk === null ? [] : [cell(sdk, width)]),
    ]),
    gap: "  ",
  });
}

/** One paragraph for each rule that fails somewhere. */
function reasons(rules: readonly RuleRow[], paint: Paint): string[] {
  return rules.flatMap((row) => {
    const lines = [
      ...(row.standIn === "fails" ? wrap(`stand-in: ${row.reasons.standIn}`, "  ") : []),
      ...(row.sdk === "fails" ? wrap(`sdk: ${row.reasons.sdk}`, "  ") : []),
    ];
    return lines.length === 0 ? [] : [[paint("red", row.rule), ...lines].join("\n")];
  });
}

function cell(text: string, width: number): string {
  return wrap(text, "", width).join("\n");
}
