/** Judged trials for tests: real verdicts of the known cases, with the fields that a test is about replaced. */
import { t01, t02 } from "../../reconcile/cases/traces.ts";
import { judge } from "../../reconcile/judge.ts";
import { buildEnvironment } from "../../reconcile/testing/trace-builder.ts";
import type { Verdict } from "../../reconcile/verdict.ts";
import type { Environment, TrialSpec } from "../../trace/spec.ts";
import type { RunToSummarize } from "../summarize.ts";

export type Trial = RunToSummarize["trials"][number];
export type Changes = {
  readonly verdict?: Partial<Verdict>;
  readonly spec?: Partial<Omit<TrialSpec, "factors">>;
  readonly factors?: Partial<TrialSpec["factors"]>;
};

const DUPLICATE = t01();
const DUPLICATE_VERDICT = judge(DUPLICATE.toParsed());
const HARMLESS = t02();
const HARMLESS_VERDICT = judge(HARMLESS.toParsed());

/** One effect too many, after an abort that hit this trial alone. */
export const duplicate = (changes: Changes = {}): Trial =>
  changed(DUPLICATE.spec, DUPLICATE_VERDICT, changes);

/** Two attempts, one effect, after a kill of a process that other trials may have shared. */
export const harmless = (changes: Changes = {}): Trial => changed(HARMLESS.spec, HARMLESS_VERDICT, changes);

export const invalid = (changes: Changes = {}): Trial =>
  duplicate({
    ...changes,
    verdict: {
      validity: {
        value: "invalid",
        reasons: ["canary-silent", "recorder-gap", "recorder-gap"].map((code) => ({
          code,
          axis: "validity",
          facts: {},
          evidence: [],
        })),
      },
      ...changes.verdict,
    },
  });

/** The operations of a trial with these effects of one intended. */
export function operations(
  effects: number,
  ...flags: Verdict["operations"][number]["flags"]
): Verdict["operations"] {
  return [{ action: "ticket", intended: 1, attempts: Math.max(1, effects), effects, flags, evidence: [1] }];
}

export function killedIn(cluster: string): Verdict["resets"] {
  return [{ ordinal: 1, reset: "kill", cluster, evidence: [1] }];
}

export function runOf(trials: readonly Trial[], fields: Partial<RunToSummarize> = {}): RunToSummarize {
  return { run: "run-1", experiment: "recovery", host: null, trials, missing: [], ...fields };
}

function changed(spec: TrialSpec, verdict: Verdict, changes: Changes): Trial {
  const named: TrialSpec = {
    ...spec,
    ...changes.spec,
    factors: { ...spec.factors, ...changes.factors },
  };
  const environment: Environment = buildEnvironment();
  return {
    spec: named,
    environment,
    verdict: { ...verdict, trial: named.trial, condition: named.condition, ...changes.verdict },
  };
}
