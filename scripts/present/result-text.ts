/**
 * A judged run as text for people: the host and what it is worth above the table, what needs attention below it, and
 * one sentence that says what it comes to. Leaves what to look at to attention.ts.
 */

import type { Condition } from "../../experiments/conditions.ts";
import { caveatOf } from "../../src/summarize/caveat.ts";
import { RATES } from "../../src/summarize/comparison.ts";
import { summarizeCondition } from "../../src/summarize/condition.ts";
import { distributionOf } from "../../src/summarize/distribution.ts";
import { printableData } from "../base/printable.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { acquittedCanaries, EXIT, type ExitCode } from "../stored/outcome.ts";
import { attentionOf, type Section } from "./attention.ts";
import { conditionRows } from "./condition-rows.ts";
import { renderTable } from "./condition-table.ts";
import { coverageLines } from "./coverage.ts";
import { documentedLines, documentedRows } from "./documented.ts";
import { hostLines } from "./host-lines.ts";
import { secondsText } from "./numbers.ts";
import { ownAnswerLines } from "./own-answer.ts";
import type { Page } from "./page.ts";
import { subjectLines } from "./subject-table.ts";
import { type Totals, totalsLine, totalsOf } from "./totals.ts";
import { wrap } from "./wrap.ts";

/** Most entries in one list, and most trials in one entry; the rest is counted and stands in the verdicts. */
const LISTED_MAX = 20;

type ResultOptions = {
  readonly exitCode: ExitCode;
  /** The experiment's conditions in its order; none when it is no longer declared. */
  readonly declared: readonly Condition[];
  readonly page: Page;
};

export function renderResult(judged: JudgedRun, { exitCode, declared, page }: ResultOptions): string {
  // A trace may hold anything.
  const run = printableData(judged);
  return [
    ...heading(run, declared, page),
    renderTable(conditionRows(run, declared), page),
    "",
    ...subjectLines(run, page),
    ...documentedLines(documentedRows(run, declared), page),
    ...ownAnswerLines(run, page),
    ...attentionOf(run, declared).flatMap((section) => sectionLines(section, page)),
    ...conclusion(run, exitCode, page),
  ].join("\n");
}

function heading(run: JudgedRun, declared: readonly Condition[], page: Page): string[] {
  const parts = [`run ${page.paint("bold", run.run)}`];
  if (run.experiment !== null) parts.push(`experiment ${run.experiment}`);
  if (run.seed !== null) parts.push(`seed ${run.seed}`);
  const planned = [...run.trials.flatMap(({ spec }) => spec ?? []), ...run.missing];
  if (run.resumed > 0)
    parts.push(`interrupted and resumed ${run.resumed} ${run.resumed === 1 ? "time" : "times"}`);
  const lines = [parts.join(" · "), ...coverageLines(planned, declared)];
  const hosted = hostLines(run.host, caveatOf(run.host, run.trials), page);
  return [...lines.flatMap((line) => wrap(line, page.width)), ...hosted, ""];
}

function sectionLines({ title, entries }: Section, { paint, width }: Page): string[] {
  const lines = entries
    .slice(0, LISTED_MAX)
    .flatMap(({ words, trials, commands }) => [
      ...trials.slice(0, LISTED_MAX).map((trial) => `  ${trial}`),
      ...(trials.length > LISTED_MAX ? [`  … and ${trials.length - LISTED_MAX} more trials`] : []),
      ...words.flatMap((sentence) => wrap(sentence, width, trials.length === 0 ? "  " : "      ")),
      ...commands.map((command) => `      ${paint("dim", command)}`),
    ]);
  const more = entries.length > LISTED_MAX ? [`  … and ${entries.length - LISTED_MAX} more`] : [];
  return [paint("bold", title), ...lines, ...more, ""];
}

function conclusion(run: JudgedRun, exitCode: ExitCode, { paint, width }: Page): string[] {
  const acquitted = acquittedCanaries(run);
  const canaries = run.trials.filter(({ spec }) => spec?.canary === true).length;
  const lines: string[] = [];
  if (acquitted.length > 0)
    lines.push(
      ...wrap(
        `The run is invalid as a whole: the canary ${acquitted.join(", ")} was not convicted, so nothing shows that ` +
          "the judge would have seen the fault in the other trials.",
        width,
      ),
    );
  else if (canaries === 0 && run.trials.length > 1)
    lines.push(
      ...wrap(
        "No canary was among these trials: nothing shows that the judge would have convicted a broken subject.",
        width,
      ),
    );
  const totals = totalsOf(run);
  const sound = exitCode === EXIT.asExpected;
  return [
    ...lines,
    ...foundLines(run).flatMap((line) => wrap(line, width)),
    ...wrap(totalsLine(totals), width),
    ...wrap(sentenceOf(exitCode, totals, run), width).map((line) => paint(sound ? "green" : "yellow", line)),
  ];
}

/** What was found, whether or not it was expected: a run in which everything was expected may be full of duplicates. */
function foundLines({ trials }: JudgedRun): string[] {
  const own = trials.filter(
    ({ spec, verdict }) => spec?.canary !== true && verdict.validity.value === "valid",
  );
  if (own.length === 0) return [];
  const counts = summarizeCondition("all", own, []);
  const found = RATES.map(({ of, read }) => {
    const { events, trials: asked } = read(counts);
    return asked === 0 ? `${of} not tried` : `${of} ${events} of ${asked}`;
  });
  return [
    ...lateLines(own),
    `Found in ${own.length} valid ${own.length === 1 ? "trial" : "trials"}: ${found.join(" · ")}.`,
  ];
}

/** Wakes by the reset that they followed, against the alarm that was armed: what the kit's own load adds is left out. */
function lateLines(trials: readonly JudgedTrial[]): string[] {
  const late = trials.flatMap(({ verdict }) => {
    const reset = verdict.resets.at(-1)?.reset;
    const { wokeLateMs } = verdict.autonomous;
    return reset === undefined || wokeLateMs === null ? [] : [{ reset, wokeLateMs }];
  });
  if (late.length === 0) return [];
  const parts = [...Map.groupBy(late, ({ reset }) => reset)].map(([reset, own]) => {
    const { p50 } = distributionOf(own.map(({ wokeLateMs }) => wokeLateMs));
    return `${reset} ${secondsText(p50)} (${own.length})`;
  });
  return [`Woke by itself, s later than its alarm was due, median by reset (trials): ${parts.join(" · ")}.`];
}

function sentenceOf(exitCode: ExitCode, totals: Totals, run: JudgedRun): string {
  if (exitCode !== EXIT.asExpected) return CONCLUSIONS[exitCode];
  const { unexpecting, trials, meant } = totals;
  if (unexpecting === trials)
    return "All trials are valid; nothing was held against them: no condition has an expectation (--require names invariants).";
  if (unexpecting > 0)
    return `All trials are valid; ${unexpecting} have no expectation, the others are as expected (--require names invariants).`;
  const required = run.trials.filter(({ requirement }) => requirement !== null).length;
  const kept = required > 0 ? `, ${required} by the invariants that were required` : "";
  const canaries = run.trials.some(({ spec }) => spec?.canary === true);
  if (!canaries && trials > 1)
    return `All trials are as expected${kept}; no canary was among them to show that the judge convicts.`;
  if (meant > 0) return `All trials are as expected${kept}.`;
  return `All trials are valid and as expected${kept}.`;
}

const CONCLUSIONS: Record<ExitCode, string> = {
  [EXIT.asExpected]: "All trials are valid and as expected.",
  [EXIT.differs]: "Some verdicts differ from their expectation (exit code 1).",
  [EXIT.badInput]: "Some input could not be used (exit code 2).",
  [EXIT.undecided]: "Some trials are invalid, missing or undecided (exit code 3).",
  [EXIT.kitFailed]: "The law of the kit is breached: the kit is wrong (exit code 4).",
  [EXIT.interrupted]: "Interrupted: what was recorded was exported and judged (exit code 130).",
};
