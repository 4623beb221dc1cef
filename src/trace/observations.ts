/**
 * What inspectors observe of a subject: foreign data, reduced to what a verdict needs. Kept, not trusted.
 * Leaves to others: reading it (src/inspect), the records that carry it (payloads.ts).
 */
import { z } from "zod";
import { Count } from "./ids.ts";

const ErrorText = z.string().max(4_000);

/** The beginning of a SHA-256: enough to see that two readings of one thing differ. */
const ContentHash = z.string().regex(/^[0-9a-f]{16}$/);

/** One durable event of the session's own log, as an inspector read it. Foreign data: kept, not trusted. */
export const LogEvent = z.strictObject({
  seq: z.number().int().describe("its number in the session's log"),
  type: z.string().max(200).describe("its type, in the host's own word"),
  call: z.string().max(200).optional().describe("tool call, when the event is about one"),
  tool: z.string().max(200).optional().describe("name of that tool"),
  error: ErrorText.optional().describe("error type and message, when the event carries an error"),
  message: z.string().max(200).optional().describe("message that it belongs to"),
  hash: ContentHash.optional().describe(
    "of the whole event as it was read: the first 16 hex digits of its SHA-256",
  ),
  version: Count.optional().describe(
    "version of its type; absent where the log tells none, and in traces of before it was read",
  ),
  wrapped: z
    .boolean()
    .optional()
    .describe("set when the event was found inside an `execute` (code mode) call"),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** How a snapshot was taken: through the object (which touches it) or from a copied database file. */
export const How = z.enum(["object", "offline"]);
/** `reconnect`: of the log, read on from where the look before the reset had come to. */
export const When = z.enum(["look", "quiet", "reconnect", "collect"]);

/** Which of a harness's readings of one session: the whole transcript, or what is active of it since the last compaction. */
export const Via = z.enum(["history", "messages"]);
export type Via = z.infer<typeof Via>;

/** What does not hold of a column is left out. */
export const ColumnObservation = z.strictObject({
  name: z.string().max(300).describe("its name"),
  type: z.string().max(200).describe("its type as declared; empty where none is"),
  notNull: z.literal(true).optional().describe("set when it may not be null"),
  default: z.string().max(300).optional().describe("text of its default, cut"),
  pk: z.number().int().min(1).optional().describe("its place in the primary key, from 1"),
});
export type ColumnObservation = z.infer<typeof ColumnObservation>;

/** The statement itself, where the trial runs under an SDK set: two of them may say the same, so none is compared. */
const Statement = z
  .string()
  .max(4_000)
  .optional()
  .describe(
    "the statement that made it, cut; kept of the reading through the object at the end of a trial under SDK sets, absent elsewhere",
  );

export const TableObservation = z.strictObject({
  name: z.string().max(300).describe("its name"),
  rows: Count.nullable().describe(
    "row count; null when the table was not counted: `error` says why, unless it is the runtime's own table",
  ),
  sql: ContentHash.optional().describe(
    "of the statement that made it (`sqlite_master.sql`): the first 16 hex digits of its SHA-256",
  ),
  statement: Statement,
  columns: z
    .array(ColumnObservation)
    .max(2_000)
    .optional()
    .describe("its columns; absent where they were not read, and in traces of before they were"),
  lastMigration: z
    .string()
    .max(300)
    .optional()
    .describe("of a table that lists migrations: the greatest id in it"),
  error: ErrorText.optional().describe("why it was not counted"),
});
export type TableObservation = z.infer<typeof TableObservation>;

export const IndexObservation = z.strictObject({
  name: z.string().max(300).describe("its name"),
  table: z.string().max(300).describe("table that it is on"),
  columns: z
    .array(z.string().max(300).nullable())
    .max(2_000)
    .optional()
    .describe(
      "its columns in order, null for an expression; absent where they were not read, and in traces of before they were",
    ),
  statement: Statement,
  unique: z.literal(true).optional().describe("set when it is unique"),
  partial: z.literal(true).optional().describe("set when it holds some rows of its table only"),
});
export type IndexObservation = z.infer<typeof IndexObservation>;

/** Says which row and why, and shows nothing of it. */
export const UndecodableRow = z.strictObject({
  table: z.string().max(300).describe("its table"),
  row: z
    .string()
    .max(300)
    .nullable()
    .describe(
      "its key; null for a table that lacks what its layout needs, so that no row of it can be decoded",
    ),
  why: z.string().max(1_000).describe("what is wrong with it"),
});
export type UndecodableRow = z.infer<typeof UndecodableRow>;

export const JobObservation = z.strictObject({
  id: z.string().max(300).describe("its id"),
  fn: z.string().max(300).describe("what it will call"),
  dueAt: z
    .number()
    .nullable()
    .meta({ unit: "ms", description: "when it is due, on the object's clock; null when that is not set" }),
  running: z.boolean().nullable().describe("whether it is under way; null when the harness does not say"),
});
export type JobObservation = z.infer<typeof JobObservation>;

export const ClaimObservation = z.strictObject({
  session: z.string().max(200).describe("session that is claimed"),
  claimedAt: z.number().nullable().meta({
    unit: "ms",
    description: "when its execution was claimed, on the object's clock; null when it is not claimed",
  }),
  resumeAttempts: Count.nullable().describe("how often it was resumed; null when the harness does not count"),
  held: z
    .boolean()
    .optional()
    .describe("whether the session is under way, where the harness marks that without a time"),
});
export type ClaimObservation = z.infer<typeof ClaimObservation>;

export const MessageObservation = z.strictObject({
  id: z.string().max(200).describe("its id"),
  type: z.string().max(100).describe("user, assistant, …, in the harness's own word"),
  tools: z
    .array(
      z.strictObject({
        call: z.string().max(200).describe("tool call"),
        tool: z.string().max(200).describe("name of the tool"),
        status: z.string().max(40).describe("its state, in the harness's own word"),
      }),
    )
    .optional()
    .describe("tool parts of an assistant message"),
  outcome: z.string().max(40).optional().describe("how its turn ended, in the harness's own word"),
  text: z.string().max(2_000).optional().describe("its text, cut"),
  hash: ContentHash.optional().describe(
    "of the whole message as it was read: the first 16 hex digits of its SHA-256",
  ),
});
export type MessageObservation = z.infer<typeof MessageObservation>;
