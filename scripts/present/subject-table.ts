/** Subjects side by side as text. Leaves what stands in the cells to subject-rows.ts. */
import type { JudgedRun } from "../stored/judge-run.ts";
import { fittingColumns } from "./fitting-columns.ts";
import type { Page } from "./page.ts";
import { SUBJECT_COLUMNS, subjectGroups, toldWords } from "./subject-rows.ts";
import { type Row, renderTextTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";

const LEGEND =
  "Subjects side by side. woke: by itself | open call: what the session's own record has in the end of the call that " +
  "took effect before the loss | result: of the operation, as a client gets it | activated, progress, settled: s after " +
  "the reset, over the trials of a row";

/** Times between the first and the last give way first. */
const YIELDING = (["progress", "activated", "settled"] as const).map((title) =>
  SUBJECT_COLUMNS.indexOf(title),
);

/** Nothing where a run has fewer than two subjects. */
export function subjectLines(run: JudgedRun, { paint, width }: Page): string[] {
  const groups = subjectGroups(run);
  if (groups.length === 0) return [];
  const legend = [LEGEND, ...standInNote(run), ...processNote(run)].flatMap((note) => wrap(note, width));
  const cells = groups.flatMap(({ rows }) => rows);
  const { titles, kept, below } = fittingColumns(SUBJECT_COLUMNS, cells, width, () => YIELDING);
  const noteLines = (row: readonly string[]) =>
    below(row).length === 0 ? [] : wrap(below(row).join(" · "), width, "  ");
  const table = renderTextTable({
    columns: titles.map((title) => ({ title: paint("dim", title) })),
    rows: groups.flatMap(({ levels, rows }): Row[] => [
      "",
      paint("bold", levels),
      ...rows.flatMap((row) => [kept(row), ...noteLines(row).map((line) => paint("dim", line))]),
    ]),
    width,
    gap: 1,
  });
  const told = toldWords(run).flatMap(({ subject, told: words }) =>
    wrap(`${subject}  ${words}`, width, "  "),
  );
  const shown =
    told.length === 0 ? [] : ["", "What the model was shown of the call whose result was lost", ...told];
  return [...legend.map((line) => paint("dim", line)), table, ...shown, ""];
}

/** Rows of processes: that they did not wake by themselves says nothing about them. */
function processNote({ trials }: JudgedRun): string[] {
  const servers = trials.filter(({ verdict }) => verdict.host?.kind === "server");
  const subjects = new Set(servers.flatMap(({ spec }) => spec?.factors.subject ?? []));
  if (subjects.size === 0) return [];
  const hosts = new Set(servers.map(({ verdict }) => `${verdict.host?.name} ${verdict.host?.version}`));
  return [
    `A process, which nothing but the kit can start: ${[...subjects].toSorted().join(", ")} ` +
      `(${[...hosts].join(", ")}); their times begin with that start.`,
  ];
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
  return [`On the stand-in host: ${standIn.join(", ")}${rest}.`];
}
