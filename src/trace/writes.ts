/**
 * Numbered writes: the durable acts of an object from the submission on, and the loss at one of them. A write has a number, and
 * the number of its commit group: the writes that become durable together, or not at all.
 *
 * Leaves to others: numbering them (`src/subject/numbered-writes.ts`), and what follows of a loss.
 */
import { z } from "zod";
import { Count, Millis, OpaqueId } from "./ids.ts";

/** `before`: the write is not carried out; `after`: it is, and its group is durable. */
export const Side = z.enum(["before", "after"]);
export type Side = z.infer<typeof Side>;

const WriteNumber = z.number().int().min(1).describe("number of the write, from 1 with the submission");

/** `remove` and `clear` are of the key-value store. */
export const WriteKind = z.enum([
  "insert",
  "replace",
  "update",
  "delete",
  "create",
  "alter",
  "drop",
  "put",
  "remove",
  "clear",
  "set-alarm",
  "delete-alarm",
  "other",
]);
export type WriteKind = z.infer<typeof WriteKind>;

const Act = {
  kind: WriteKind.describe("what it does"),
  table: z
    .string()
    .max(200)
    .nullable()
    .describe("the table that it names; null for what is in no table of the subject's"),
  nth: z.number().int().min(1).describe("number among the writes of its kind and table, from 1"),
};

/**
 * Where the object is to be lost. What goes on side by side may come in more than one order, so a write is known by its kind, its
 * table and its number among those; `number` is the one under which it was counted.
 */
export const WritePlace = z.strictObject({
  number: WriteNumber,
  side: Side.describe("`before`: the write is not carried out; `after`: it is, and its group is durable"),
  ...Act,
});
export type WritePlace = z.infer<typeof WritePlace>;

/** Whether a write is the one that a place names. */
export function isSameAct(a: Act, b: Act): boolean {
  return a.kind === b.kind && a.table === b.table && a.nth === b.nth;
}
type Act = Pick<WritePlace, "kind" | "table" | "nth">;

export const NumberedWrite = z
  .strictObject({
    number: WriteNumber,
    group: z
      .number()
      .int()
      .min(1)
      .describe("number of its commit group, from 1: what becomes durable together"),
    ...Act,
    rows: Count.nullable().describe("rows that it wrote; null where nobody counts them"),
    msSinceSubmit: Millis.describe("since the submission, on the object's clock"),
  })
  .meta({ title: "Numbered write" });
export type NumberedWrite = z.infer<typeof NumberedWrite>;

/** What the object itself says of its loss, in the text with which the runtime ends it. */
export const WriteLoss = NumberedWrite.omit({ rows: true })
  .extend({
    side: Side.describe("on which side of the write it ended"),
    last: Count.describe("number of the last write that was asked for; 0 for none"),
    lastGroup: Count.describe("group of that one; 0 for none"),
    activation: OpaqueId.describe("the activation that ended"),
  })
  .meta({ title: "Loss at a numbered write" });
export type WriteLoss = z.infer<typeof WriteLoss>;

const LOST_AT = "recovery-kit: lost at write ";

export function lossText(loss: WriteLoss): string {
  return `${LOST_AT}${JSON.stringify(loss)}`;
}

/** What an error's text says of the loss, whoever passed it on; null where it is of another one. */
export function lossIn(text: string): WriteLoss | null {
  const at = text.indexOf(LOST_AT);
  if (at < 0) return null;
  try {
    const told = text.slice(at + LOST_AT.length);
    return WriteLoss.safeParse(JSON.parse(told.slice(0, told.indexOf("}") + 1))).data ?? null;
  } catch {
    return null;
  }
}
