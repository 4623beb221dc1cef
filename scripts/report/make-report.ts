/** Judged runs in, what a report page shows out. Reads the traces again for their records; writes nothing. */
import { basename } from "node:path";
import type { Condition } from "../../experiments/conditions.ts";
import type { KnownFinding } from "../../experiments/known-findings.ts";
import { ReportModel, type TrialPart, type UpgradePart } from "../../src/report/report-model.ts";
import { compareUpgrade } from "../../src/summarize/compare-upgrade.ts";
import { compareRuns, summarize } from "../../src/summarize/index.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { printableData } from "../base/printable.ts";
import { upgradePart } from "../present/upgrade-part.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { upgradeRunOf } from "../stored/stored-upgrade.ts";
import { comparisonPart } from "./comparison-part.ts";
import { runPart } from "./run-part.ts";
import { anchorsOf, trialPart } from "./trial-part.ts";

type Sources = {
  readonly declaredOf: (experiment: string | null) => readonly Condition[];
  /** What is known of an upgrade between two sets. */
  readonly knownOf: (from: string, to: string) => readonly KnownFinding[];
  readonly traceAt: (path: string) => ParsedTrace;
};

/** @param runs one, or two that are compared. */
export function makeReport(runs: readonly JudgedRun[], sources: Sources): ReportModel {
  const { declaredOf, traceAt } = sources;
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
    return {
      summary,
      part: runPart({
        ...{ run, summary, trials },
        declared: declaredOf(run.experiment),
        upgrade: upgradeIn(run, sources),
      }),
    };
  });
  const [a, b] = parts.map(({ summary }) => summary);
  return ReportModel.parse(
    printableData({
      runs: parts.map(({ part }) => part),
      comparison: a === undefined || b === undefined ? null : comparisonPart(compareRuns(a, b)),
    }),
  );
}

/** Null where the run is no whole one of `upgrade`. */
function upgradeIn(run: JudgedRun, { knownOf, traceAt }: Sources): UpgradePart | null {
  const upgraded = upgradeRunOf(run, traceAt);
  if (upgraded === null) return null;
  const { from, to } = upgraded.pair;
  return upgradePart(compareUpgrade(upgraded), knownOf(from, to));
}
