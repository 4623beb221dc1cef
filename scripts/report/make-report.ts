/** Judged runs in, what a report page shows out. Reads the traces again for their records; writes nothing. */
import { basename } from "node:path";
import type { Condition } from "../../experiments/conditions.ts";
import { ReportModel, type TrialPart } from "../../src/report/report-model.ts";
import { compareRuns, summarize } from "../../src/summarize/index.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { printableData } from "../base/printable.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { comparisonPart } from "./comparison-part.ts";
import { runPart } from "./run-part.ts";
import { anchorsOf, trialPart } from "./trial-part.ts";

type Sources = {
  readonly declaredOf: (experiment: string | null) => readonly Condition[];
  readonly traceAt: (path: string) => ParsedTrace;
};

/** @param runs one, or two that are compared. */
export function makeReport(runs: readonly JudgedRun[], { declaredOf, traceAt }: Sources): ReportModel {
  const anchors = anchorsOf(
    runs.flatMap(({ trials }) =>
      trials.map(({ verdict, path }) => verdict.trial ?? basename(path, ".jsonl")),
    ),
  );
  let next = 0;
  const parts = runs.map((run) => {
    const trials = run.trials.map((trial): TrialPart => {
      const anchor = anchors[next++] ?? "";
      return trialPart(trial, traceAt(trial.path), anchor);
    });
    const summary = summarize(run);
    return { summary, part: runPart({ run, summary, trials, declared: declaredOf(run.experiment) }) };
  });
  const [a, b] = parts.map(({ summary }) => summary);
  return ReportModel.parse(
    printableData({
      runs: parts.map(({ part }) => part),
      comparison: a === undefined || b === undefined ? null : comparisonPart(compareRuns(a, b)),
    }),
  );
}
