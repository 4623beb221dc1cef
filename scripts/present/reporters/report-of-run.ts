/** A judged run as a report: one row for each trial that was planned. Pure. */

import { expectableWords } from "../../../src/reconcile/expectation.ts";
import { caveatOf } from "../../../src/summarize/caveat.ts";
import type { JudgedRun } from "../../stored/judge-run.ts";
import type { JudgedTrial } from "../../stored/judge-trace.ts";
import { acquittedCanaries, type ExitCode, outcomeOf, type TrialOutcome } from "../../stored/outcome.ts";
import { differencesOf, reasonsOf } from "../attention.ts";
import { totalsLine, totalsOf } from "../totals.ts";
import { REPORT_SCHEMA, type Report, type ReportRow } from "./report.ts";

const STATUS: Readonly<Record<TrialOutcome, ReportRow["status"]>> = {
  "as-expected": "pass",
  "no-expectation": "pass",
  differs: "failure",
  unknown: "error",
  invalid: "error",
  acquitted: "error",
  "kit-wrong": "error",
};

export function reportOfRun(run: JudgedRun, exitCode: ExitCode): Report {
  const caveat = caveatOf(run.host, run.trials);
  const experiment = run.experiment ?? "unknown";
  return {
    schema: REPORT_SCHEMA,
    kind: "run",
    name: run.run,
    hosts: [run.host],
    caveats: caveat === null ? [] : [caveat],
    versions: versionsOf(run),
    sentence: totalsLine(totalsOf(run)),
    rows: [
      ...run.trials.map((trial) => rowOf(trial, experiment)),
      ...run.missing.map(
        ({ trial, condition }): ReportRow => ({
          experiment,
          condition,
          repeat: null,
          status: "error",
          sentence: `The planned trial ${trial} left no trace.`,
          expectation: null,
          observation: null,
          trace: null,
        }),
      ),
    ],
    problems: [
      ...acquittedCanaries(run).map(
        (name) => `The canary ${name} was not convicted: the run is invalid as a whole.`,
      ),
      ...run.problems,
    ],
    exitCode,
  };
}

export function versionsOf({ trials }: JudgedRun): Record<string, string> {
  return { ...trials.find(({ environment }) => environment !== null)?.environment?.packages };
}

function rowOf(trial: JudgedTrial, experiment: string): ReportRow {
  const { verdict, spec, path } = trial;
  const status = STATUS[outcomeOf(trial)];
  const words = verdict.validity.value === "invalid" ? reasonsOf(trial) : differencesOf(trial);
  const expect = Object.entries(spec?.expect ?? {});
  const found: Readonly<Record<string, readonly string[]>> = expectableWords(verdict);
  return {
    experiment: spec?.experiment ?? experiment,
    condition: verdict.condition ?? spec?.condition ?? path,
    repeat: spec?.repeat ?? null,
    status,
    sentence: status === "pass" ? "" : words.join("; "),
    expectation: expect.length === 0 ? null : expect.map(([axis, wanted]) => said(axis, wanted)).join(", "),
    observation:
      expect.length === 0
        ? `validity=${verdict.validity.value}`
        : expect.map(([axis]) => said(axis, found[axis] ?? [])).join(", "),
    trace: path,
  };
}

function said(axis: string, words: unknown): string {
  const list = (Array.isArray(words) ? words : [words]).map(String);
  return `${axis}=${list.length === 0 ? "none" : list.join("|")}`;
}
