/** Subjects side by side as text, at most 100 columns wide. Leaves what stands in the cells to subject-rows.ts. */
import type { JudgedRun } from "../stored/judge-run.ts";
import { type Cell, eachLine, renderBareTable, wideRow } from "./bare-table.ts";
import { fold } from "./condition-rows.ts";
import type { Paint } from "./paint.ts";
import { SUBJECT_COLUMNS, subjectGroups } from "./subject-rows.ts";
import { wrap } from "./wrap.ts";

/** Widest cell per column. */
const WIDTHS = [11, 7, 9, 14, 13, 13, 9, 9, 9] as const;

const LEGEND =
  "Subjects side by side. woke: by itself | open call: what the session's own record has in the end of the call that " +
  "took effect before the loss | result: of the operation, as a client gets it | activated, progress, settled: s after " +
  "the reset, over the trials of a row";

/** Nothing where a run has fewer than two subjects. */
export function subjectLines(run: JudgedRun, paint: Paint): string[] {
  const groups = subjectGroups(run);
  if (groups.length === 0) return [];
  const columns = SUBJECT_COLUMNS.length;
  const cells = (row: readonly string[]) => row.map((cell, column) => fold(cell, WIDTHS[column] ?? 10));
  const rows = groups.flatMap((group): Cell[][] => [
    wideRow("", columns),
    wideRow(paint("bold", group.levels), columns),
    ...group.rows.map(cells),
  ]);
  const legend = [...wrap(LEGEND), ...standInNote(run), ...processNote(run)];
  const head = cells(SUBJECT_COLUMNS).map((title) => eachLine(title, (line) => paint("dim", line)));
  return [...legend.map((line) => paint("dim", line)), renderBareTable({ head, rows, gap: " " }), ""];
}

/** Rows of processes: that they did not wake by themselves says nothing about them. */
function processNote({ trials }: JudgedRun): string[] {
  const servers = trials.filter(({ verdict }) => verdict.host?.kind === "server");
  const subjects = new Set(servers.flatMap(({ spec }) => spec?.factors.subject ?? []));
  if (subjects.size === 0) return [];
  const hosts = new Set(servers.map(({ verdict }) => `${verdict.host?.name} ${verdict.host?.version}`));
  return wrap(
    `A process, which nothing but the kit can start: ${[...subjects].toSorted().join(", ")} ` +
      `(${[...hosts].join(", ")}); their times begin with that start.`,
  );
}

/** Which rows measure a stand-in and which the real software: side by side they look alike. */
function standInNote({ trials }: JudgedRun): string[] {
  const subjects = (onStandIn: boolean) => [
    ...new Set(
      trials.flatMap(({ spec, verdict }) =>
        spec !== null && !spec.canary && (verdict.host?.kind === "stand-in") === onStandIn
          ? spec.factors.subject
          : [],
      ),
    ),
  ];
  const [standIn, real] = [subjects(true), subjects(false)];
  if (standIn.length === 0) return [];
  const rest = real.length === 0 ? "" : `; ${real.toSorted().join(", ")} needed none`;
  return wrap(`On the stand-in host: ${standIn.join(", ")}${rest}.`);
}
