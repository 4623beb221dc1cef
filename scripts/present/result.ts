/**
 * A judged run as text for people: the host and what it is worth above the table, what needs attention below it, and
 * in the last line where the traces lie and what to run next.
 */
import { relative } from "node:path";
import { explain } from "../../src/reconcile/index.ts";
import type { JudgedRun } from "../judge/judge-run.ts";
import type { JudgedTrial } from "../judge/judge-trace.ts";
import { acquittedCanaries, EXIT, type ExitCode, outcomeOf, undecidedAxes } from "../judge/outcome.ts";
import { selectionFor } from "../run/selection.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { conditionRows } from "./rows.ts";
import { renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Design, section 9. */
export const STAND_IN_CAVEAT =
  "a result obtained on the stand-in says how the harness and the runtime behave around a host that follows " +
  "OpenCode's published contract; it is not a measurement of OpenCode";

/** Most entries in one list below the table; the rest is counted and stands in the verdicts. */
const LISTED_MAX = 20;

export type ResultOptions = {
  readonly exitCode: ExitCode;
  /** Conditions in the experiment's order. */
  readonly order: readonly string[];
  readonly paint: Paint;
};

export function renderResult(run: JudgedRun, { exitCode, order, paint }: ResultOptions): string {
  return [
    ...heading(run, paint),
    renderTable(conditionRows(run, order), paint),
    "",
    ...attention(run, paint),
    ...conclusion(run, exitCode, paint),
  ].join("\n");
}

/** Which host it was, before anything that it is said to have done. */
export function hostLines(host: JudgedRun["host"], paint: Paint = PLAIN): string[] {
  if (host === null) return ["host: unknown (no trace could be read)"];
  const named = `host: ${paint("bold", host.kind)} (${host.name}${host.kind === "stand-in" ? "" : ` ${host.version}`})`;
  return host.kind === "stand-in" ? [named, ...wrap(STAND_IN_CAVEAT, "  ")] : [named];
}

function heading(run: JudgedRun, paint: Paint): string[] {
  const parts = [`run ${paint("bold", run.run)}`];
  if (run.experiment !== null) parts.push(`experiment ${run.experiment}`);
  if (run.seed !== null) parts.push(`seed ${run.seed}`);
  return [parts.join(" · "), ...hostLines(run.host, paint), ""];
}

function attention(run: JudgedRun, paint: Paint): string[] {
  const invalid = run.trials.filter(({ verdict }) => verdict.validity.value === "invalid");
  const valid = run.trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const unexpected = valid.filter((trial) => outcomeOf(trial) !== "as-expected");
  return [
    ...list(
      "Not whole",
      run.problems.map((problem) => [problem]),
      paint,
    ),
    ...list(
      "Planned trials without a trace",
      run.missing.map(({ trial, condition }) => [`${trial}  ${condition}`]),
      paint,
    ),
    ...list(
      "Invalid trials",
      invalid.map((trial) => entryOf(trial, reasonsOf(trial))),
      paint,
    ),
    ...list(
      "Undecided, or not as expected",
      unexpected.map((trial) => [
        ...entryOf(trial, differencesOf(trial)),
        `again: ${repeatCommand(run, trial)}`,
      ]),
      paint,
    ),
    ...list("Findings", findingsOf(valid), paint),
  ];
}

function list(title: string, entries: readonly (readonly string[])[], paint: Paint): string[] {
  if (entries.length === 0) return [];
  const shown = entries
    .slice(0, LISTED_MAX)
    .flatMap(([first = "", ...rest]) => [
      ...wrap(first, "  "),
      ...rest.flatMap((line) => wrap(line, "      ")),
    ]);
  const more = entries.length > LISTED_MAX ? [`  … and ${entries.length - LISTED_MAX} more`] : [];
  return [paint("bold", `${title} (${entries.length})`), ...shown, ...more, ""];
}

function entryOf(trial: JudgedTrial, lines: readonly string[]): string[] {
  const name = trial.verdict.trial ?? trial.path;
  return [
    `${name}  ${trial.verdict.condition ?? ""}`.trimEnd(),
    ...lines,
    `judge: ${judgeCommand(trial.path)}`,
  ];
}

function reasonsOf({ verdict }: JudgedTrial): string[] {
  const sentences = [...new Set(verdict.validity.reasons.map(explain))];
  return sentences.length <= 5 ? sentences : [...sentences.slice(0, 5), `… and ${sentences.length - 5} more`];
}

function differencesOf({ verdict, expectation }: JudgedTrial): string[] {
  const open = undecidedAxes(verdict, new Set());
  return [
    ...(expectation?.differences ?? []).map(
      ({ axis, expected, actual }) => `${axis}: expected ${expected}, found ${actual}`,
    ),
    ...(open.length === 0 ? [] : [`the evidence does not decide: ${open.join(", ")}`]),
  ];
}

/** Each finding once, with the trials that have it; one of them is named to look at. */
function findingsOf(trials: readonly JudgedTrial[]): string[][] {
  const found = new Map<string, { sentence: string; trials: JudgedTrial[] }>();
  for (const trial of trials)
    for (const finding of trial.verdict.findings) {
      const entry = found.get(finding.code) ?? { sentence: explain(finding), trials: [] };
      if (!entry.trials.includes(trial)) entry.trials.push(trial);
      found.set(finding.code, entry);
    }
  return [...found].map(([code, { sentence, trials: having }]) => {
    const conditions = [...new Set(having.map(({ verdict }) => verdict.condition ?? ""))];
    const where = conditions.length === 1 ? conditions[0] : `${conditions.length} conditions`;
    const count = having.length === 1 ? "1 trial" : `${having.length} trials`;
    return [`${code}, ${count} of ${where}: ${sentence}`, `judge: ${judgeCommand(having[0]?.path ?? "")}`];
  });
}

function conclusion(run: JudgedRun, exitCode: ExitCode, paint: Paint): string[] {
  const acquitted = acquittedCanaries(run);
  const canaries = run.trials.filter(({ spec }) => spec?.canary === true).length;
  const lines: string[] = [];
  if (acquitted.length > 0)
    lines.push(
      ...wrap(
        `The run is invalid as a whole: the canary ${acquitted.join(", ")} was not convicted, so nothing shows that ` +
          "the judge would have seen the fault in the other trials.",
      ),
    );
  else if (canaries === 0 && run.trials.length > 1)
    lines.push(
      "No canary was among these trials: nothing shows that the judge would have convicted a broken subject.",
    );
  lines.push(paint(exitCode === EXIT.asExpected ? "green" : "yellow", VERDICT_WORDS[exitCode]));
  return lines;
}

const VERDICT_WORDS: Record<ExitCode, string> = {
  [EXIT.asExpected]: "All trials are valid and as expected.",
  [EXIT.differs]: "Some verdicts differ from their expectation (exit code 1).",
  [EXIT.badInput]: "Some input could not be used (exit code 2).",
  [EXIT.undecided]: "Some trials are invalid, missing or undecided (exit code 3).",
  [EXIT.kitFailed]: "The law of the kit is breached: the kit is wrong (exit code 4).",
  [EXIT.interrupted]: "Interrupted: what was recorded was exported and judged (exit code 130).",
};

export function judgeCommand(path: string): string {
  return `npm run judge -- ${shownPath(path)}`;
}

function repeatCommand(run: JudgedRun, { spec }: JudgedTrial): string {
  if (spec === null) return "unknown, its condition cannot be read";
  const host = spec.factors.host === "none" ? (run.host?.kind ?? "auto") : spec.factors.host;
  return (
    `npm run kit -- run ${spec.experiment} --host ${host} --seed ${spec.seed} --quiet-ms ${spec.factors.quietMs} ` +
    `--settle-ms ${spec.factors.settleMs} --only ${selectionFor(spec.factors)}`
  );
}

/** As the reader would type it here. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === "" ? "." : near.startsWith("..") ? path : near;
}
