/** What `inspect --json` prints: a contract for programs. Fields are added, never changed. */
import { z } from "zod";
import { How, When } from "../../src/trace/observations.ts";
import { printableJson } from "../base/printable.ts";
import { INSPECT_CODES, type InspectCode } from "./finding-codes.ts";
import type { Change, InspectKind } from "./inspect-kind.ts";
import type { Inspection } from "./inspect-source.ts";
import { forEachKind } from "./kinds/index.ts";

const Moment = z.strictObject({
  record: z.number().int().min(1).describe("`seq` of the record that holds the reading"),
  at: z.number().meta({ unit: "ms", description: "when it was recorded, on the ledger's clock" }),
  how: How.describe("through the object, or from a copy of its files"),
  when: When.describe("in which part of the trial"),
});

const Finding = z.strictObject({
  code: z.enum(Object.keys(INSPECT_CODES) as [InspectCode, ...InspectCode[]]).describe("what it is"),
  weight: z
    .enum(["doubt", "note"])
    .describe("`doubt`: what is shown is not all there is, or not as it was written"),
  sentence: z.string().describe("the same in words"),
});

const ChangeOf = z.strictObject({
  what: z.string().describe("what differs"),
  a: z.string().nullable().describe("in the first reading; null where it lacks it"),
  b: z.string().nullable().describe("in the second reading; null where it lacks it"),
});

function inspectedOf<R>({ name, schema }: InspectKind<R>) {
  const reading = z.strictObject({
    source: z.string().describe("what was read, as it was named"),
    from: z.enum(["file", "trace", "worker"]).describe("what kind of source it is"),
    moment: Moment.nullable().describe("which reading of a trace it is; null for another source"),
    moments: z.array(Moment).describe("all readings that the trace has; empty for another source"),
    reading: schema.describe("what lies there"),
    findings: z.array(Finding).describe("what is remarkable in it"),
  });
  return z.strictObject({
    inspected: z.literal(name).describe("what was inspected"),
    readings: z.array(reading).min(1).max(2).describe("one, or two to be compared"),
    changes: z.array(ChangeOf).nullable().describe("what differs; null for one reading"),
  });
}

const KINDS: z.ZodType[] = [];
forEachKind((kind) => KINDS.push(inspectedOf(kind)));

/** One object of any kind. */
export const Inspected = z.union(KINDS as [z.ZodType, ...z.ZodType[]]);

/** @throws ZodError for what would break the contract, which is a bug of the kit. */
export function inspectedJson<R>(
  kind: InspectKind<R>,
  readings: readonly Inspection<R>[],
  changes: readonly Change[] | null,
): string {
  return printableJson(inspectedOf(kind).parse({ inspected: kind.name, readings, changes }));
}
