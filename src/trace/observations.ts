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
  seq: z.number().int(),
  type: z.string().max(200),
  /** Tool call id, when the event is about a tool call. */
  call: z.string().max(200).optional(),
  tool: z.string().max(200).optional(),
  /** Error type and message, when the event carries an error. */
  error: ErrorText.optional(),
  message: z.string().max(200).optional(),
  /** Of the whole event as it was read: the first 16 hex digits of its SHA-256. */
  hash: ContentHash.optional(),
  /** Set when the event was found inside an `execute` (code mode) call. */
  wrapped: z.boolean().optional(),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** How a snapshot was taken: through the object (which touches it) or from a copied database file. */
export const How = z.enum(["object", "offline"]);
/** `reconnect`: of the log, read on from where the look before the reset had come to. */
export const When = z.enum(["look", "quiet", "reconnect", "collect"]);

/** Which of a harness's readings of one session: the whole transcript, or what is active of it since the last compaction. */
export const Via = z.enum(["history", "messages"]);
export type Via = z.infer<typeof Via>;

export const TableObservation = z.strictObject({
  name: z.string().max(300),
  /** Row count; null when the table was not counted. `error` says why, unless it is the runtime's own table. */
  rows: Count.nullable(),
  /** Of the statement that made it (`sqlite_master.sql`). */
  sql: ContentHash.optional(),
  error: ErrorText.optional(),
});
export const IndexObservation = z.strictObject({ name: z.string().max(300), table: z.string().max(300) });

export const JobObservation = z.strictObject({
  id: z.string().max(300),
  fn: z.string().max(300),
  /** When the job is due, on the object's clock, in ms. */
  dueAt: z.number().nullable(),
  running: z.boolean().nullable(),
});
export type JobObservation = z.infer<typeof JobObservation>;

export const ClaimObservation = z.strictObject({
  session: z.string().max(200),
  /** When the session's execution was claimed, on the object's clock; null when it is not claimed. */
  claimedAt: z.number().nullable(),
  resumeAttempts: Count.nullable(),
  /** Whether the session is under way, where the harness marks that without a time. */
  held: z.boolean().optional(),
});
export type ClaimObservation = z.infer<typeof ClaimObservation>;

export const MessageObservation = z.strictObject({
  id: z.string().max(200),
  type: z.string().max(100),
  /** Tool parts of an assistant message: call id and state. */
  tools: z
    .array(
      z.strictObject({ call: z.string().max(200), tool: z.string().max(200), status: z.string().max(40) }),
    )
    .optional(),
  outcome: z.string().max(40).optional(),
  text: z.string().max(2_000).optional(),
  hash: ContentHash.optional(),
});
export type MessageObservation = z.infer<typeof MessageObservation>;
