/**
 * The journal's record types: a discriminated union on `type`. Everything observed in a trial is one of these,
 * in the order in which the ledger object appended it.
 *
 * `seq` is the only total order. `at` is the ledger's clock in ms. Times from other clocks are fields named
 * after their clock (`subjectAt`, `canaryAt`) and are never compared across sources.
 *
 * Extend the union and keep old types readable; never change the meaning of a field.
 * Leaves to others: appending (ledger-worker), judging (src/reconcile).
 */
import { z } from "zod";
import { Action, ActionKey, Count, Millis, OpaqueId, OperationId, Sha256, ShortText } from "./ids.ts";
import { Phase, Point, Reset } from "./levels.ts";
import { Environment, HostIdentity, TrialSpec } from "./spec.ts";

export const Source = z.enum(["ledger", "controller", "subject", "model", "cli"]);
export type Source = z.infer<typeof Source>;

const AttemptNumber = z.number().int().min(1);
const Text = z.string().max(20_000);
const ErrorText = z.string().max(4_000);
const Tokens = z.strictObject({ input: Count, output: Count });

/** A place where the ledger or the model holds a request until it is released. `occurrence` counts from 1. */
export const Hold = z.strictObject({
  point: Point.exclude(["none", "after-answer", "during-recovery"]),
  occurrence: z.number().int().min(1),
});
export type Hold = z.infer<typeof Hold>;

/** What the final text of an operation claims about the outside effect. `none`: no claim could be read. */
export const Claim = z.strictObject({
  claim: z.enum(["committed", "unknown", "not-committed", "none"]),
  receipt: z.string().max(200).nullable(),
});
export type Claim = z.infer<typeof Claim>;

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
  /** Set when the event was found inside an `execute` (code mode) call. */
  wrapped: z.boolean().optional(),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** How a snapshot was taken: through the object (which touches it) or from a copied database file. */
const How = z.enum(["object", "offline"]);
const When = z.enum(["look", "quiet", "collect"]);

export const TableObservation = z.strictObject({
  name: z.string().max(300),
  /** Row count; null when the table was not counted. `error` says why, unless it is the runtime's own table. */
  rows: Count.nullable(),
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
});
export type MessageObservation = z.infer<typeof MessageObservation>;

/** Payloads by type, without the fields that the ledger adds. `sources` says who may append the type. */
const PAYLOADS = {
  "trial.started": { sources: ["controller"], shape: { spec: TrialSpec, environment: Environment } },
  "phase.entered": { sources: ["controller"], shape: { phase: Phase } },
  "ledger.configured": {
    sources: ["ledger"],
    shape: { destination: z.enum(["append", "unique"]), holds: z.array(Hold) },
  },
  "marker.written": { sources: ["controller"], shape: { marker: OpaqueId, activation: OpaqueId } },

  "operation.submitted": {
    sources: ["controller"],
    shape: {
      operationId: OperationId,
      session: OpaqueId,
      /** `first`, or `again` with the same id after the reset. */
      purpose: z.enum(["first", "again"]),
      /** The harness's own word; null when the call failed. */
      accepted: z.boolean().nullable(),
      error: ErrorText.nullable(),
    },
  },
  "operation.settled": {
    sources: ["controller"],
    shape: {
      operationId: OperationId,
      session: OpaqueId,
      status: z.enum(["done", "unanswered"]),
      reason: Text.nullable(),
      text: Text.nullable(),
      claim: Claim,
    },
  },
  /**
   * The client asked the session to go on with the operation, in a further prompt: the harness had said that nothing is
   * under way and nothing was answered, and submitting the operation again had changed nothing.
   */
  "operation.followed-up": {
    sources: ["controller"],
    shape: { operationId: OperationId, session: OpaqueId, error: ErrorText.nullable() },
  },
  "probe.submitted": {
    sources: ["controller"],
    shape: {
      operationId: OperationId,
      session: OpaqueId,
      accepted: z.boolean().nullable(),
      error: ErrorText.nullable(),
    },
  },
  "probe.settled": {
    sources: ["controller"],
    shape: {
      operationId: OperationId,
      session: OpaqueId,
      status: z.enum(["done", "unanswered"]),
      reason: Text.nullable(),
      text: Text.nullable(),
    },
  },
  /** A bounded wait ran out. It says nothing about what happened. */
  "wait.expired": { sources: ["controller"], shape: { waitedFor: ShortText, boundMs: Millis } },
  "client.reconnected": {
    sources: ["controller"],
    shape: { ok: z.boolean(), activation: OpaqueId.nullable(), error: ErrorText.nullable() },
  },

  "subject.activated": {
    sources: ["subject"],
    shape: {
      activation: OpaqueId,
      /** Random id of the isolate: survives `ctx.abort()`, changes when the process or the code does. */
      isolate: OpaqueId,
      /** Durable counter in the object's storage, from 1. */
      generation: z.number().int().min(1),
      /** What woke it. `process-start`: whoever runs the trials started the process that is the subject. */
      cause: z.enum(["fetch", "alarm", "rpc", "process-start", "unknown"]),
      /** The durable marker as read on activation; null when it is missing. */
      marker: OpaqueId.nullable(),
      object: OpaqueId,
      /** Worker version id and tag from the version metadata binding; empty strings locally. */
      version: z.strictObject({ id: z.string().max(200), tag: z.string().max(200) }),
      host: HostIdentity,
      subjectAt: Millis,
      /** True when this record was kept in the object's outbox and sent by a later activation. */
      late: z.boolean(),
    },
  },

  "model.requested": {
    sources: ["ledger"],
    shape: {
      /** 1-based over all requests of the trial. */
      call: z.number().int().min(1),
      purpose: z.enum(["turn", "title", "compaction"]),
      /** 1-based over the requests of the same purpose. */
      ordinal: z.number().int().min(1),
      activation: OpaqueId.nullable(),
      session: OpaqueId.nullable(),
      messages: Count,
      /** What the request shows of earlier tool calls. */
      results: z.array(
        z.strictObject({ call: OpaqueId, tool: z.string().max(100), outcome: z.enum(["ok", "error"]) }),
      ),
      /** Whether the request carries a notice that the work was restarted. */
      restartNotice: z.boolean(),
      tokens: Count,
    },
  },
  "model.answered": {
    sources: ["model"],
    shape: {
      call: z.number().int().min(1),
      purpose: z.enum(["turn", "title", "compaction"]),
      finish: z.enum(["stop", "tool-calls"]),
      toolCalls: z.array(
        z.strictObject({
          call: OpaqueId,
          tool: z.string().max(100),
          action: Action.nullable(),
          key: ActionKey.nullable(),
        }),
      ),
      text: Text,
      tokens: Tokens,
    },
  },
  /** The scripted model refused a request as a real provider would. */
  "model.refused": { sources: ["model"], shape: { status: Count, reason: ErrorText } },

  "attempt.received": {
    sources: ["ledger"],
    shape: {
      attempt: AttemptNumber,
      action: Action,
      key: ActionKey.nullable(),
      payloadSha256: Sha256,
      activation: OpaqueId,
      generation: z.number().int().min(1),
      session: OpaqueId,
      message: OpaqueId,
      call: OpaqueId,
    },
  },
  "effect.committed": {
    sources: ["ledger"],
    shape: {
      effect: OpaqueId,
      attempt: AttemptNumber,
      action: Action,
      key: ActionKey.nullable(),
      receipt: OpaqueId,
    },
  },
  "effect.deduplicated": {
    sources: ["ledger"],
    shape: { attempt: AttemptNumber, effect: OpaqueId, receipt: OpaqueId },
  },
  /** The ledger definitely made no new effect for this attempt, and never will. */
  "attempt.rejected": { sources: ["ledger"], shape: { attempt: AttemptNumber, reason: ShortText } },
  "hold.reached": {
    sources: ["ledger"],
    shape: { hold: Hold, attempt: AttemptNumber.nullable(), call: z.number().int().min(1).nullable() },
  },
  "hold.released": { sources: ["ledger"], shape: { hold: Hold, why: z.enum(["controller", "trial-ended"]) } },
  "receipt.withheld": { sources: ["ledger"], shape: { attempt: AttemptNumber, effect: OpaqueId } },
  "receipt.released": { sources: ["ledger"], shape: { attempt: AttemptNumber } },
  /** The ledger handed the receipt to the connection. Not proof that the subject read it. */
  "receipt.sent": {
    sources: ["ledger"],
    shape: { attempt: AttemptNumber, effect: OpaqueId, receipt: OpaqueId },
  },
  "receipt.undeliverable": { sources: ["ledger"], shape: { attempt: AttemptNumber, detail: ShortText } },
  "entry.read": {
    sources: ["ledger"],
    shape: {
      action: Action,
      key: ActionKey.nullable(),
      found: z.boolean(),
      effects: z.array(OpaqueId),
      activation: OpaqueId,
      session: OpaqueId,
      call: OpaqueId,
    },
  },

  "reset.requested": {
    sources: ["controller"],
    shape: {
      reset: Reset,
      /** 1-based number of the reset within the trial. */
      ordinal: z.number().int().min(1),
      activation: OpaqueId.nullable(),
    },
  },
  "reset.performed": {
    sources: ["controller", "cli"],
    shape: {
      reset: Reset,
      ordinal: z.number().int().min(1),
      /** What was done, in the field's words: `ctx.abort()`, `SIGKILL`. */
      mechanism: ShortText,
      /** Exact text of the error that the caller of the lost host saw, if any. */
      error: ErrorText.nullable(),
      /** For process resets: the process that ended and the one that took its place. */
      process: z
        .strictObject({
          pid: Count,
          exitCode: z.number().int().nullable(),
          signal: z.string().max(20).nullable(),
          nextPid: Count.nullable(),
          /** How many trials this one reset hit: one cluster for statistics. */
          trials: Count,
          cluster: OpaqueId,
        })
        .nullable(),
    },
  },
  "reset.refused": {
    sources: ["controller", "cli"],
    shape: { reset: Reset, ordinal: z.number().int().min(1), mechanism: ShortText, error: ErrorText },
  },

  "canary.armed": { sources: ["controller"], shape: { delayMs: Millis, canaryAt: Millis } },
  /** There is no runtime whose alarms a canary could vouch for. `why` is the subject's own word. */
  "canary.not-offered": { sources: ["controller"], shape: { why: ShortText } },
  "canary.fired": {
    sources: ["subject"],
    shape: { canaryAt: Millis, lateMs: z.number(), isolate: OpaqueId },
  },

  "quiet.started": { sources: ["controller"], shape: { quietMs: Millis } },
  "quiet.ended": { sources: ["controller"], shape: {} },

  "snapshot.log": {
    sources: ["controller", "cli"],
    shape: {
      how: How,
      when: When,
      session: OpaqueId,
      /** False when the subject says that it keeps no durable log, so that no events decides nothing. */
      offered: z.boolean(),
      /** The cursor the read began after; null from the start. */
      after: z.number().int().nullable(),
      events: z.array(LogEvent).max(5_000),
      /** Watermark of `log.synced`; null when the marker was not seen. */
      synced: z.number().int().nullable(),
      gaps: z.array(z.strictObject({ from: z.number().int(), to: z.number().int() })),
      duplicates: z.array(z.number().int()),
      unreadable: Count,
      error: ErrorText.nullable(),
    },
  },
  "snapshot.schema": {
    sources: ["controller", "cli"],
    shape: {
      how: How,
      when: When,
      tables: z.array(TableObservation).max(1_000),
      indexes: z.array(IndexObservation).max(2_000),
      error: ErrorText.nullable(),
    },
  },
  "snapshot.transcript": {
    sources: ["controller", "cli"],
    shape: {
      how: How,
      when: When,
      session: OpaqueId,
      messages: z.array(MessageObservation).max(2_000),
      pending: z.array(z.strictObject({ operationId: z.string().max(200), status: z.string().max(40) })),
      error: ErrorText.nullable(),
    },
  },
  "snapshot.jobs": {
    sources: ["controller", "cli"],
    shape: {
      how: How,
      when: When,
      jobs: z.array(JobObservation).max(1_000),
      /** When the object's alarm is set for, on the object's clock; null when none is set. */
      alarmAt: z.number().nullable(),
      claims: z.array(ClaimObservation),
      /** True when the alarm could not be read this way, so that `alarmAt: null` decides nothing. */
      alarmUnknown: z.boolean(),
      error: ErrorText.nullable(),
    },
  },

  "trial.ended": {
    sources: ["controller", "cli"],
    shape: {
      reason: z.enum([
        "completed",
        "point-not-reached",
        "reset-not-performed",
        "submit-failed",
        "cancelled",
        "error",
      ]),
      detail: ErrorText.nullable(),
      /** Attempts without commit, rejection, deduplication at this moment. */
      openAttempts: z.array(AttemptNumber),
    },
  },
} as const satisfies Record<string, { sources: readonly Source[]; shape: z.core.$ZodLooseShape }>;

export type RecordType = keyof typeof PAYLOADS;

const envelope = {
  seq: z.number().int().min(1),
  at: Millis,
  source: Source,
  /** SHA-256 of the previous line's text; 64 zeros in the first. */
  prev: Sha256,
};

type Payloads = typeof PAYLOADS;
/** A payload's fields. No payload has an optional field at its top level: absent facts are null, and say so. */
type Fields<Shape> = { -readonly [K in keyof Shape]: z.infer<Shape[K]> };
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
    z.strictObject({ ...fields, type: z.literal(type), ...PAYLOADS[type].shape }),
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

/** Narrows a record to one type. */
export function isType<T extends RecordType>(record: JournalRecord, type: T): record is JournalRecord<T> {
  return record.type === type;
}

/** All records of one type, in order. */
export function ofType<T extends RecordType>(records: readonly JournalRecord[], type: T): JournalRecord<T>[] {
  return records.filter((record): record is JournalRecord<T> => record.type === type);
}
