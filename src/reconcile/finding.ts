/**
 * Small makers shared by all checks: a finding, an axis answer, a list of deciding `seq`s.
 * Leaves sentences to `explain.ts`.
 */
import type { Finding } from "../trace/verdict.ts";

/** One axis of a verdict: the value, why, and the records that decide it. */
export type Answer<V extends string> = { value: V; code: string; evidence: number[] };

export function answer<V extends string>(value: V, code: string, ...evidence: Evidence[]): Answer<V> {
  return { value, code, evidence: seqsOf(...evidence) };
}

/** What may be given as evidence: a record, several, or nothing where the point is that there is none. */
export type Evidence = { readonly seq: number } | readonly { readonly seq: number }[] | null | undefined;

export function finding(
  axis: string,
  code: string,
  facts: Finding["facts"],
  ...evidence: Evidence[]
): Finding {
  return { code, axis, facts, evidence: seqsOf(...evidence) };
}

/** The `seq`s of some records, ascending and each once. */
export function seqsOf(...evidence: Evidence[]): number[] {
  const seqs = new Set<number>();
  for (const item of evidence) {
    if (item === null || item === undefined) continue;
    for (const record of "seq" in item ? [item] : item) seqs.add(record.seq);
  }
  return [...seqs].sort((a, b) => a - b);
}
