/** What every reporter is given: a run, or two runs compared, as rows that are red or not. Made from results, never from text. */
import { z } from "zod";
import { HostIdentity } from "../../../src/trace/spec.ts";

export const REPORT_SCHEMA = "opencode-do-recovery-kit/report/1";

export const ReportRow = z.strictObject({
  /** Of the run, so that rows of one experiment stand together. */
  experiment: z.string(),
  condition: z.string(),
  /** Which repeat of its condition; null where the row is about all of them, or no trace tells. */
  repeat: z.number().int().nullable(),
  /** `failure`: it differs. `error`: it decides nothing, being invalid, undecided or missing. */
  status: z.enum(["pass", "failure", "error"]),
  /** What is to be said of it; of a row that passes there may be nothing. */
  sentence: z.string(),
  expectation: z.string().nullable(),
  observation: z.string().nullable(),
  /** Path of the trace; for two runs compared the folder of the second. Null where there is none. */
  trace: z.string().nullable(),
});
export type ReportRow = z.infer<typeof ReportRow>;

export const Report = z.strictObject({
  schema: z.literal(REPORT_SCHEMA),
  kind: z.enum(["run", "comparison"]),
  /** The run's id, or both. */
  name: z.string(),
  hosts: z.array(HostIdentity.nullable()),
  /** What a result on these hosts is worth; empty where nothing limits it. */
  caveats: z.array(z.string()),
  /** Packages and their versions, of the first run whose traces tell; of a comparison what differs is in its sentences. */
  versions: z.record(z.string(), z.string()),
  /** What it comes to, in one line. */
  sentence: z.string(),
  rows: z.array(ReportRow),
  /** What else keeps it from being whole. */
  problems: z.array(z.string()),
  exitCode: z.number().int(),
});
export type Report = z.infer<typeof Report>;

/** Condition and repeat, as one name. */
export function rowName({ condition, repeat }: ReportRow): string {
  return repeat === null ? condition : `${condition} #${repeat}`;
}

/** Failures first, then what decides nothing, then the others, each in their order. */
export function redFirst(rows: readonly ReportRow[]): ReportRow[] {
  const order: readonly ReportRow["status"][] = ["failure", "error", "pass"];
  return rows.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}
