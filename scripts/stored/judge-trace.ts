/** One stored trace in, its verdict out, held against the expectation that the trace carries. */
import { type ExpectationMatch, judge, matchExpectation } from "../../src/reconcile/index.ts";
import { type InvariantName, matchRequired } from "../../src/reconcile/invariants.ts";
import { type Prevention, preventionOf } from "../../src/reconcile/prevention.ts";
import { Verdict } from "../../src/reconcile/verdict.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { readTrace } from "./read-trace.ts";

export type JudgedTrial = {
  /** The trace file. */
  readonly path: string;
  readonly verdict: Verdict;
  /** Hash of the last record, as the header has it; null when there is no header. */
  readonly head: string | null;
  /** Null when the trace is too damaged to tell. */
  readonly spec: TrialSpec | null;
  readonly environment: Environment | null;
  /** Null when the condition has no expectation, or it cannot be read. */
  readonly expectation: ExpectationMatch | null;
  /** Whether it keeps the invariants that were asked for; null when none were, or the condition has an expectation. */
  readonly requirement: ExpectationMatch | null;
  /** What would have kept a second effect from being made; empty where none was, and of the kit's own subjects. */
  readonly prevention: readonly Prevention[];
};

/** @param required invariants for trials whose condition has no expectation; none for those that the trial itself names. */
export function judgeTrace(path: string, required: readonly InvariantName[] = []): JudgedTrial {
  return judgeParsed(path, readTrace(path), required);
}

/** The same of a trace that was read already. */
export function judgeParsed(
  path: string,
  parsed: ParsedTrace,
  required: readonly InvariantName[] = [],
): JudgedTrial {
  const verdict = judge(parsed);
  const started = parsed.records[0];
  // As the judge does: the journal's own word comes before the copy in the header.
  const origin = started?.type === "trial.started" ? started : parsed.header;
  const spec = origin?.spec ?? null;
  const environment = origin?.environment ?? null;
  const kept = required.length > 0 ? required : (spec?.require ?? []);
  return {
    path,
    verdict,
    head: parsed.header?.head ?? null,
    spec,
    environment,
    prevention: environment?.own === undefined ? [] : preventionOf(parsed.records, verdict),
    expectation: spec === null || spec.expect === null ? null : matchExpectation(verdict, spec.expect),
    requirement:
      kept.length === 0 || spec === null || spec.expect !== null ? null : matchRequired(verdict, kept),
  };
}

/** The line that is stored. Parsing puts the fields into the schema's order, so equal verdicts are equal bytes. */
export function verdictLine(verdict: Verdict): string {
  return `${JSON.stringify(Verdict.parse(verdict))}\n`;
}
