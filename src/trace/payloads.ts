/**
 * The payload of every record type, and who may append it: the table from which `records.ts` builds the union.
 *
 * Times from other clocks than the ledger's are fields named after their clock (`subjectAt`, `canaryAt`) and are never
 * compared across sources. Extend the table and keep old types readable; never change the meaning of a field.
 */
import { z } from "zod";
import { Action, ActionKey, Count, Millis, OpaqueId, OperationId, Sha256, ShortText } from "./ids.ts";
import { Destination, Phase, Point, Reset } from "./levels.ts";
import {
  ClaimObservation,
  How,
  IndexObservation,
  JobObservation,
  LogEvent,
  MessageObservation,
  TableObservation,
  Via,
  When,
} from "./observations.ts";
import { Environment, HostIdentity, TrialSpec } from "./spec.ts";

export const Source = z.enum(["ledger", "controller", "subject", "model", "cli"]);
export type Source = z.infer<typeof Source>;

const AttemptNumber = z.number().int().min(1);
const Text = z.string().max(20_000);
const ErrorText = z.string().max(4_000);
const Tokens = z.strictObject({ input: Count, output: Count });
/** The `seq` of the record that brought this one about; null when none is known. */
const Because = z.number().int().min(1).nullable();
/** The activation that served a request, as its answer says; absent in traces of before it was recorded. */
const ServedBy = OpaqueId.nullable().optional();

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
/** Payloads by type, without the fields that the ledger adds. `sources` says who may append the type. */
export const PAYLOADS = {
  "trial.started": { sources: ["controller"], shape: { spec: TrialSpec, environment: Environment } },
  "phase.entered": { sources: ["controller"], shape: { phase: Phase } },
  "ledger.configured": {
    sources: ["ledger"],
    shape: { destination: Destination, holds: z.array(Hold) },
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
      activation: ServedBy,
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
      activation: ServedBy,
    },
  },
  /**
   * The client asked the session to go on with the operation, in a further prompt: the harness had said that nothing is
   * under way and nothing was answered, and submitting the operation again had changed nothing.
   */
  "operation.followed-up": {
    sources: ["controller"],
    shape: { operationId: OperationId, session: OpaqueId, error: ErrorText.nullable(), activation: ServedBy },
  },
  "probe.submitted": {
    sources: ["controller"],
    shape: {
      operationId: OperationId,
      session: OpaqueId,
      accepted: z.boolean().nullable(),
      error: ErrorText.nullable(),
      activation: ServedBy,
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
      activation: ServedBy,
    },
  },
  /** A bounded wait ran out. It says nothing about what happened. */
  "wait.expired": { sources: ["controller"], shape: { waitedFor: ShortText, boundMs: Millis } },
  "client.reconnected": {
    sources: ["controller"],
    shape: {
      ok: z.boolean(),
      activation: OpaqueId.nullable(),
      error: ErrorText.nullable(),
      /**
       * Requests that reached the object since it was last spoken to, this one left out; null when the object cannot
       * tell, absent in traces of before it was counted.
       */
      requestsBefore: Count.nullable().optional(),
    },
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

  /**
   * An activation that could not begin or whose handler threw, as told by what starts it. `generation` is null where it
   * did not come so far as to be counted.
   */
  "activation.failed": {
    sources: ["subject"],
    shape: {
      activation: OpaqueId,
      generation: z.number().int().min(1).nullable(),
      cause: z.enum(["fetch", "alarm", "rpc", "process-start", "unknown"]),
      error: ErrorText,
      because: Because,
    },
  },
  /** The OpenCode host of the activation was opened; each time anew after it was closed. */
  "host.opened": {
    sources: ["subject"],
    shape: { activation: OpaqueId, opening: z.number().int().min(1), because: Because },
  },
  /** The harness closed the host while its object lived on, as it does with one that is idle. */
  "host.closed": {
    sources: ["subject"],
    shape: { activation: OpaqueId, opening: z.number().int().min(1), because: Because },
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
        z.strictObject({
          call: OpaqueId,
          tool: z.string().max(100),
          outcome: z.enum(["ok", "error"]),
          /** The text itself, cut; absent in traces of before it was recorded. */
          text: z.string().max(2_000).optional(),
        }),
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
  /** A process with the subject's storage ended, as the operating system told its parent; recorded when it ended. */
  "process.ended": {
    sources: ["cli"],
    shape: {
      pid: Count,
      exitCode: z.number().int().nullable(),
      signal: z.string().max(20).nullable(),
      /** Whether whoever runs the trials ended it. */
      meant: z.boolean(),
      because: Because,
    },
  },
  /** A process on the subject's storage listens; every one that ever runs there is recorded. */
  "process.started": {
    sources: ["cli"],
    shape: { pid: Count, because: Because },
  },
  "reset.refused": {
    sources: ["controller", "cli"],
    shape: { reset: Reset, ordinal: z.number().int().min(1), mechanism: ShortText, error: ErrorText },
  },

  "canary.armed": { sources: ["controller"], shape: { delayMs: Millis, canaryAt: Millis } },
  /** There is no runtime whose alarms a witness could vouch for. `why` is the subject's own word. */
  "canary.not-offered": { sources: ["controller"], shape: { why: ShortText } },
  "canary.fired": {
    sources: ["subject"],
    shape: { canaryAt: Millis, lateMs: z.number(), isolate: OpaqueId },
  },

  "quiet.started": { sources: ["controller"], shape: { quietMs: Millis } },
  "quiet.ended": { sources: ["controller"], shape: {} },

  /**
   * Whoever runs the trials is to read the object's storage from its files, which touches nothing. It answers with
   * snapshots, of which that of the schema is the last, and says in them what it could not read.
   */
  "reading.requested": { sources: ["controller"], shape: { when: When, because: Because } },

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
      /** Which of the harness's readings it is; absent for the only one. */
      via: Via.optional(),
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
      /** What stands out in the reading and takes nothing from it; absent when nothing does. */
      notes: z.array(ErrorText).max(100).optional(),
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
