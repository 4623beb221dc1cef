/** The comparison as text. Leaves what stands in it to compare-hosts.ts. */
import { type Page, PLAIN_PAGE } from "../../present/page.ts";
import { type Row, renderTextTable } from "../../present/text-table.ts";
import { wrap } from "../../present/wrap.ts";
import type { Comparison, RuleRow, UncertainRow } from "./compare-hosts.ts";

const TONES = {
  holds: "green",
  agree: "green",
  fails: "red",
  differ: "red",
  "not run": "yellow",
  alone: "reset",
} as const;

export function renderComparison({ rules, uncertain }: Comparison, page: Page = PLAIN_PAGE): string {
  const withSdk = rules.some(({ sdk }) => sdk !== null);
  return [
    renderRules(rules, withSdk, page),
    page.paint("bold", "Uncertain: reported, not asserted"),
    renderUncertain(uncertain, withSdk, page),
    ...reasons(rules, page),
  ].join("\n\n");
}

function renderRules(rules: readonly RuleRow[], withSdk: boolean, { paint, width }: Page): string {
  const head = ["rule", "section", "stand-in", ...(withSdk ? ["sdk", ""] : [])];
  const rows: Row[] = [];
  let group = "";
  for (const row of rules) {
    if (row.group !== group) rows.push("", paint("bold", row.group));
    group = row.group;
    const tinted = (word: keyof typeof TONES) => paint(TONES[word], word);
    const rule = row.id === null ? row.rule : `${row.rule} (${row.id})`;
    rows.push([
      rule,
      row.section,
      tinted(row.standIn),
      ...(withSdk ? [tinted(row.sdk ?? "not run"), agreement(row, tinted)] : []),
    ]);
  }
  return renderTextTable({ columns: head.map((title) => ({ title })), rows, width });
}

function agreement(row: RuleRow, tinted: (word: keyof typeof TONES) => string): string {
  return row.agreement === "not run" ? "needs a seam" : tinted(row.agreement);
}

function renderUncertain(rows: readonly UncertainRow[], withSdk: boolean, { width }: Page): string {
  return renderTextTable({
    columns: ["question", "stand-in", ...(withSdk ? ["sdk"] : [])].map((title) => ({ title })),
    rows: rows.map(({ question, standIn, sdk }) => [question, standIn, ...(sdk === null ? [] : [sdk])]),
    width,
  });
}

/** One paragraph for each rule that fails somewhere. */
function reasons(rules: readonly RuleRow[], { paint, width }: Page): string[] {
  return rules.flatMap((row) => {
    const lines = [
      ...(row.standIn === "fails" ? wrap(`stand-in: ${row.reasons.standIn}`, width, "  ") : []),
      ...(row.sdk === "fails" ? wrap(`sdk: ${row.reasons.sdk}`, width, "  ") : []),
    ];
    return lines.length === 0 ? [] : [[paint("red", row.rule), ...lines].join("\n")];
  });
}
