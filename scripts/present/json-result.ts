/** What `--json` prints: a contract for programs. Fields are added, never changed. */

import { z } from "zod";
import type { Condition } from "../../experiments/conditions.ts";
import type { ExpectationMatch } from "../../src/reconcile/index.ts";
import { Verdict } from "../../src/reconcile/verdict.ts";
import { SafetyPart } from "../../src/report/report-model.ts";
import { caveatOf } from "../../src/summarize/caveat.ts";
import { HostIdentity } from "../../src/trace/spec.ts";
import { printableJson } from "../base/printable.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { acquittedCanaries, type ExitCode, outcomeOf } from "../stored/outcome.ts";
import { Documented, documentedRows } from "./documented.ts";
import { safetyOf } from "./safety.ts";

const Difference = z.strictObject({ axis: z.string(), expected: z.string(), actual: z.string() });

const Match = z.strictObject({ matches: z.boolean(), differences: z.array(Difference) });

export const RunResult = z.strictObject({
  run: z.string(),
  experiment: z.string().nullable(),
  seed: z.number().int().nullable(),
  /** The host that the run asked for; each verdict says what its subject ran. */
  host: HostIdentity.nullable(),
  /** What a result on this host is worth; null where nothing limits it. */
  caveat: z.string().nullable(),
  trials: z.array(
    z.strictObject({
      trial: z.string().nullable(),
      condition: z.string().nullable(),
      canary: z.boolean(),
      trace: z.string(),
      outcome: z.enum([
        "as-expected",
        "differs",
        "no-expectation",
        "unknown",
        "invalid",
        "acquitted",
        "kit-wrong",
      ]),
      verdict: Verdict,
      /** Null when the condition has no expectation. */
      expectation: Match.nullable(),
      /** How it keeps the invariants that were required; null when none were, or the condition has an expectation. */
      requirement: Match.nullable(),
    }),
  ),
  /** What the documentation of each subject promises, beside what was seen of it. */
  documented: z.array(Documented),
  /** "Is my tool safe?", of a run of a user's own Worker; null for the kit's subjects. */
  safety: SafetyPart.nullable(),
  /** Planned trials that left no trace. */
  missing: z.array(z.string()),
  /** Canary conditions that were not convicted: the run is invalid as a whole. */
  acquitted: z.array(z.string()),
  problems: z.array(z.string()),
  exitCode: z.number().int(),
});
export type RunResult = z.infer<typeof RunResult>;

/** `declared`: the experiment's conditions. */
export function jsonResult(run: JudgedRun, exitCode: ExitCode, declared: readonly Condition[]): string {
  return printableJson(RunResult.parse(runResult(run, exitCode, declared)));
}

/** The same as a value, for what tells more than the run. */
export function runResult(
  run: JudgedRun,
  exitCode: ExitCode,
  declared: readonly Condition[],
): z.input<typeof RunResult> {
  return {
    run: run.run,
    experiment: run.experiment,
    seed: run.seed,
    host: run.host,
    caveat: caveatOf(run.host, run.trials),
    trials: run.trials.map((trial) => ({
      trial: trial.verdict.trial,
      condition: trial.verdict.condition,
      canary: trial.spec?.canary ?? false,
      trace: trial.path,
      outcome: outcomeOf(trial),
      verdict: trial.verdict,
      expectation: matchOf(trial.expectation),
      requirement: matchOf(trial.requirement),
    })),
    documented: documentedRows(run, declared),
    safety: safetyOf(run),
    missing: run.missing.map(({ trial }) => trial),
    acquitted: acquittedCanaries(run),
    problems: [...run.problems],
    exitCode,
  };
}

function matchOf(match: ExpectationMatch | null): z.input<typeof Match> | null {
  return match === null ? null : { matches: match.matches, differences: [...match.differences] };
}
