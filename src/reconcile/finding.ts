/**
 * What every check says: a finding, or the answer to an axis, each with the `seq`s of the records that decide it.
 * Leaves sentences to `finding-codes.ts` and to the axes.
 */
import { z } from "zod";
import type { FactsOf, FindingCode } from "./finding-codes.ts";

export const Evidence = z.array(z.number().int().min(1));

/** Something worth a reader's attention: facts and a code; the sentence is composed by whoever shows it. */
export const Finding = z.strictObject({
  code: z.string(),
  axis: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  evidence: Evidence,
});
export type Finding = z.infer<typeof Finding>;

/** An answer with the records that decide it, and a short machine-readable reason. */
export function answerSchema<T extends z.ZodType>(value: T) {
  return z.strictObject({ value, code: z.string(), evidence: Evidence });
}

/** One answer: the value, why, and the records that decide it. */
export type Answer<V extends string, C extends string = string> = {
  value: V;
  code: C;
  evidence: number[];
};

export function answer<V extends string, C extends string>(
  value: V,
  code: C,
  ...evidence: Deciding[]
): Answer<V, C> {
  return { value, code, evidence: seqsOf(...evidence) };
}

/** What may be given as evidence: a record, several, or nothing where the point is that there is none. */
export type Deciding = { readonly seq: number } | readonly { readonly seq: number }[] | null | undefined;

/** The facts are those that the code's sentence needs. */
export function finding<C extends FindingCode>(
  axis: string,
  code: C,
  facts: FactsOf<C>,
  ...evidence: Deciding[]
): Finding {
  return { code, axis, facts: facts as Finding["facts"], evidence: seqsOf(...evidence) };
}

/** The `seq`s of some records, ascending and each once. */
export function seqsOf(...evidence: Deciding[]): number[] {
  const seqs = new Set<number>();
  for (const item of evidence) {
    if (item === null || item === undefined) continue;
    for (const record of "seq" in item ? [item] : item) seqs.add(record.seq);
  }
  return [...seqs].sort((a, b) => a - b);
}
