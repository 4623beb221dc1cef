/**
 * One trial as a story: its records as lines in lanes, on the journal's clock from the first loss, each with the answers that
 * it decides. A pure value, for a terminal and a page alike.
 */
import { explain } from "../reconcile/explain.ts";
import type { Verdict } from "../reconcile/verdict.ts";
import type { ParsedTrace } from "../trace/file.ts";
import { type JournalRecord, ofType } from "../trace/records.ts";
import type { Environment, HostIdentity, TrialSpec } from "../trace/spec.ts";
import { type Answered, answersOf, attributionOf } from "./answers.ts";
import { type Kind, type Lane, lineOf } from "./lines.ts";

export type Entry = {
  readonly seq: number;
  /** From the first reset that was asked for, or from the trial's start where none was, in ms of the ledger's clock. */
  readonly sinceMs: number;
  readonly lane: Lane;
  /** Generation of the activation that acted; null where none is named or it never reported itself. */
  readonly generation: number | null;
  readonly kind: Kind;
  readonly text: string;
  /** Whether the trial can be understood without it. */
  readonly matters: boolean;
  /** Names of the axes that it decides. */
  readonly decides: readonly string[];
};

export type Remark = {
  readonly code: string;
  readonly sentence: string;
  readonly evidence: readonly number[];
};

export type Story = {
  readonly trial: string;
  readonly condition: string;
  readonly spec: TrialSpec | null;
  readonly host: HostIdentity | null;
  /** What the trial ran on; null where the trace does not tell. */
  readonly environment: Environment | null;
  readonly valid: boolean;
  /** Why it is invalid; empty for a valid one. */
  readonly reasons: readonly Remark[];
  /** What `sinceMs` counts from. */
  readonly zero: "first reset" | "start";
  readonly entries: readonly Entry[];
  readonly answers: readonly Answered[];
  readonly attribution: Answered;
  readonly findings: readonly Remark[];
};

export function tellTrial(parsed: ParsedTrace, verdict: Verdict): Story {
  const { records, header } = parsed;
  const [started] = records;
  const origin = started?.type === "trial.started" ? started : header;
  const spec = origin?.spec ?? null;
  const loss = ofType(records, "reset.requested")[0];
  const zeroAt = (loss ?? started)?.at ?? 0;
  const generations = new Map(
    ofType(records, "subject.activated").map(({ activation, generation }) => [activation, generation]),
  );
  const answers = answersOf(verdict);
  const decided = decidedBy(answers);
  return {
    trial: spec?.trial ?? header?.trial ?? "(trial unreadable)",
    condition: spec?.condition ?? "(condition unreadable)",
    spec,
    host: verdict.host,
    environment: origin?.environment ?? null,
    valid: verdict.validity.value === "valid",
    reasons: remarksOf(verdict.validity.reasons),
    zero: loss === undefined ? "start" : "first reset",
    entries: records.map((record) => entryOf(record, zeroAt, generations, decided)),
    answers,
    attribution: attributionOf(verdict),
    findings: remarksOf(verdict.findings),
  };
}

function entryOf(
  record: JournalRecord,
  zeroAt: number,
  generations: ReadonlyMap<string, number>,
  decided: ReadonlyMap<number, readonly string[]>,
): Entry {
  const { lane, kind, text, matters, activation } = lineOf(record);
  return {
    seq: record.seq,
    sinceMs: record.at - zeroAt,
    lane,
    generation: activation === null ? null : (generations.get(activation) ?? null),
    kind,
    text,
    matters,
    decides: decided.get(record.seq) ?? [],
  };
}

function decidedBy(answers: readonly Answered[]): ReadonlyMap<number, readonly string[]> {
  const decided = new Map<number, string[]>();
  for (const { axis, evidence } of answers)
    for (const seq of evidence) {
      const axes = decided.get(seq) ?? [];
      if (!axes.includes(axis)) axes.push(axis);
      decided.set(seq, axes);
    }
  return decided;
}

function remarksOf(findings: Verdict["findings"]): Remark[] {
  return findings.map((finding) => ({
    code: finding.code,
    sentence: explain(finding),
    evidence: finding.evidence,
  }));
}
