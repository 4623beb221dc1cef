/** Readings of storage for a terminal: what was read and how, what was found, the tables; of two, what differs. */
import { printableData } from "../base/printable.ts";
import type { Page } from "../present/page.ts";
import { renderTextTable } from "../present/text-table.ts";
import { wrap } from "../present/wrap.ts";
import type { Finding } from "./finding-codes.ts";
import type { Change, InspectKind, Listing } from "./inspect-kind.ts";
import { type Inspection, momentsText } from "./inspect-source.ts";

const FROM = {
  file: "from a copy of the file; nothing was written, and no object was woken",
  trace: "as the trial read it",
  worker: "through the live object, which woke it",
} as const;

export function renderInspection<R>(kind: InspectKind<R>, one: Inspection<R>, page: Page): string {
  const shown = printableData(one);
  const others =
    shown.moments.length > 1 ? [`${momentsText(shown.moments)}; --at shows one, or two compared`] : [];
  return [
    ...heading(kind, shown, page),
    ...others.flatMap((line) => wrap(`${line[0]?.toUpperCase()}${line.slice(1)}.`, page.width, "  ")),
    ...findingLines(shown.findings, page),
    ...kind.listings(shown.reading).flatMap((listing) => tableLines(listing, page)),
  ].join("\n");
}

export function renderChanges<R>(
  kind: InspectKind<R>,
  [a, b]: readonly [Inspection<R>, Inspection<R>],
  changes: readonly Change[],
  page: Page,
): string {
  const rows = printableData(changes).map(({ what, a: one, b: two }) => [
    what,
    one ?? page.paint("dim", "not there"),
    two ?? page.paint("dim", "not there"),
  ]);
  const verdict = changes.length === 0 ? "They do not differ." : `Differences: ${changes.length}.`;
  return [
    ...[a, b].flatMap((one, index) => [
      ...heading(kind, printableData(one), page, index === 0 ? "a: " : "b: "),
      ...findingLines(printableData(one).findings, page),
    ]),
    ...(rows.length === 0
      ? []
      : tableLines({ columns: [{ title: "what" }, { title: "a" }, { title: "b" }], rows }, page)),
    "",
    verdict,
  ].join("\n");
}

function heading<R>(
  kind: InspectKind<R>,
  { source, from, moment, reading }: Inspection<R>,
  { paint, width }: Page,
  which = "",
): string[] {
  const when =
    moment === null
      ? FROM[from]
      : `record ${moment.record} (${moment.when}), ${FROM[from]} ${moment.how === "object" ? "through the object" : "from its files"}`;
  return [
    ...wrap(`${which}${paint("bold", `${kind.name} of ${source}`)}`, width),
    ...wrap(`${kind.summary(reading)} · ${when}`, width, "  "),
  ];
}

function findingLines(findings: readonly Finding[], { paint, width }: Page): string[] {
  return findings.flatMap(({ code, weight, sentence }) =>
    wrap(`${paint(weight === "doubt" ? "red" : "yellow", code)}: ${sentence}`, width, "  "),
  );
}

function tableLines({ columns, rows }: Listing, { width }: Page): string[] {
  if (rows.length === 0) return [];
  return ["", renderTextTable({ columns, rows: rows.map((row) => [...row]), width })];
}
