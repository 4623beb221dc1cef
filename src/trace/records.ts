/**
 * The journal's record types: a discriminated union on `type`. Everything observed in a trial is one of these,
 * in the order in which the ledger object appended it.
 *
 * `seq` is the only total order. `at` is the ledger's clock in ms.
 * Leaves to others: what each type carries (payloads.ts), appending (ledger-worker), judging (src/reconcile).
 */
import { z } from "zod";
import { Millis, Sha256 } from "./ids.ts";
import { PAYLOADS, Source } from "./payloads.ts";

export * from "./observations.ts";
export { Claim, Hold, Source } from "./payloads.ts";

export type RecordType = keyof typeof PAYLOADS;

/** A schema of its own, so that whoever compares the field with the hash itself need not have its shape checked too. */
export const PREV = Sha256.clone().describe(
  "SHA-256 of the line before, as text; 64 zeros in the first record",
);

const envelope = {
  seq: z.number().int().min(1).describe("place in the journal, from 1: the only total order"),
  at: Millis.describe("when the ledger appended it, since the epoch on the ledger's clock"),
  source: Source.describe("who says so"),
  prev: PREV,
};

type Payloads = typeof PAYLOADS;
/**
 * A payload's fields. Absent facts are null, and say so; a field is optional only where traces of before it was recorded
 * lack it.
 */
type Fields<Shape> = {
  -readonly [K in keyof Shape as undefined extends z.infer<Shape[K]> ? never : K]: z.infer<Shape[K]>;
} & {
  -readonly [K in keyof Shape as undefined extends z.infer<Shape[K]> ? K : never]?: z.infer<Shape[K]>;
};
type RecordOf<T extends RecordType> = T extends RecordType
  ? { seq: number; at: number; source: Source; prev: string; type: T } & Fields<Payloads[T]["shape"]>
  : never;
type DraftOf<T extends RecordType> = T extends RecordType
  ? { source: Source; type: T } & Fields<Payloads[T]["shape"]>
  : never;

/** One journal record of type `T`, as it stands on a line of a trace. */
export type JournalRecord<T extends RecordType = RecordType> = RecordOf<T>;
/** A record before the ledger gave it `seq`, `at` and `prev`. */
export type RecordDraft<T extends RecordType = RecordType> = DraftOf<T>;

export const RECORD_TYPES = Object.keys(PAYLOADS) as RecordType[];

function unionOf(fields: Record<string, z.ZodType>): z.ZodType {
  const members = RECORD_TYPES.map((type) =>
    z
      .strictObject({
        ...fields,
        type: z.literal(type).describe("the type of the record"),
        ...PAYLOADS[type].shape,
      })
      .describe(PAYLOADS[type].says),
  );
  return z.discriminatedUnion("type", members as unknown as [z.ZodObject, ...z.ZodObject[]]);
}

/** Parses one stored record. Strict: an unknown field is an error. */
export const JournalRecord = unionOf(envelope) as z.ZodType<JournalRecord>;
/** Parses a record that a source asks the ledger to append. */
export const RecordDraft = unionOf({ source: Source }) as z.ZodType<RecordDraft>;

/** Whether `source` may append records of `type`. What the ledger itself observes, nobody else may claim. */
export function mayAppend(source: Source, type: RecordType): boolean {
  return (PAYLOADS[type].sources as readonly Source[]).includes(source);
}

/** All records of one type, in order. */
export function ofType<T extends RecordType>(records: readonly JournalRecord[], type: T): JournalRecord<T>[] {
  return records.filter((record): record is JournalRecord<T> => record.type === type);
}
