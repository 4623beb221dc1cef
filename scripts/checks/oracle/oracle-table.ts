/**
 * The agreement table as text, at most 100 columns wide: for each rule what it is, what each side shows, and the
 * verdict. Event sequences do not fit into columns, so each side gets lines of its own. Leaves what stands in it to
 * compare-sides.ts.
 */

import { type Paint, PLAIN } from "../../present/paint.ts";
import { wrap } from "../../present/wrap.ts";
import type { Line, Status } from "./compare-sides.ts";
import type { Json } from "./observation.ts";

const VERDICTS = {
  agree: ["agree", "green"],
  known: ["known difference", "yellow"],
  UNLISTED: ["UNLISTED DIFFERENCE", "red"],
  STALE: ["STALE: listed, but not so", "red"],
} as const;

export function renderTable(lines: readonly Line[], paint: Paint = PLAIN): string {
  return lines.map((line) => renderLine(line, paint)).join("\n\n");
}

export function countsOf(lines: readonly Line[]): Record<Status, number> {
  const count = (status: Status) => lines.filter((line) => line.status === status).length;
  return { agree: count("agree"), known: count("known"), UNLISTED: count("UNLISTED"), STALE: count("STALE") };
}

function renderLine(
  { rule, section, sentence, server, standIn, status, reason }: Line,
  paint: Paint,
): string {
  const [verdict, tone] = VERDICTS[status];
  return [
    `${paint("bold", rule)}  ${paint(tone, verdict)}`,
    ...wrap(section === "" ? sentence : `${sentence} (${section})`, "  "),
    ...(status === "agree"
      ? field("both", server)
      : [...field("1.18", server), ...field("stand-in", standIn), ...field("because", reason)]),
  ].join("\n");
}

function field(name: string, value: Json): string[] {
  if (name === "because" && value === null) return [];
  const lines = wrap(textOf(value), " ".repeat(12));
  return lines.map((line, index) => (index === 0 ? `  ${name.padEnd(8)}  ${line.trimStart()}` : line));
}

function textOf(value: Json): string {
  if (value === null) return "(does not exist)";
  if (Array.isArray(value)) return value.length === 0 ? "(nothing)" : value.map(textOf).join(" · ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
