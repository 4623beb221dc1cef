/** The agreement table as text. Leaves what stands in it to compare.ts. */
import Table from "cli-table3";
import type { Line } from "../../tests/oracle/compare.ts";
import type { Json } from "../../tests/oracle/observation.ts";

const WIDTHS = [30, 42, 42, 36];

export function renderTable(lines: readonly Line[]): string {
  const table = new Table({
    head: ["rule", "1.18 server", "stand-in", "verdict"],
    colWidths: WIDTHS,
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { rule, section, sentence, server, standIn, status, reason } of lines) {
    table.push([
      `${rule}\n${sentence}${section === "" ? "" : ` (${section})`}`,
      cell(server),
      status === "agree" ? "the same" : cell(standIn),
      verdict(status, reason),
    ]);
  }
  return table.toString();
}

export function countsOf(lines: readonly Line[]): Record<Line["status"], number> {
  const count = (status: Line["status"]) => lines.filter((line) => line.status === status).length;
  return { agree: count("agree"), known: count("known"), UNLISTED: count("UNLISTED"), STALE: count("STALE") };
}

function verdict(status: Line["status"], reason: string | null): string {
  const name = status === "known" ? "known difference" : status;
  return reason === null ? name : `${name}: ${reason}`;
}

function cell(value: Json): string {
  if (value === null) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "(nothing)" : value.map(text).join("\n");
  return text(value);
}

function text(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
