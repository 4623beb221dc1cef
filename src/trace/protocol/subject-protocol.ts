/**
 * The subject Worker's HTTP protocol: how the controller reaches an object under test. Paths are
 * `/subjects/:subject/trials/:trial/<request>`; every request carries `Authorization: Bearer <KIT_SECRET>`.
 * Every one of them touches the object, so none may be sent during the quiet interval.
 *
 * | request | body | answer |
 * | --- | --- | --- |
 * | `POST …/prepare` | `PrepareRequest` | `PrepareResponse` |
 * | `POST …/submit` | `SubmitRequest` | `SubmitResponse` |
 * | `POST …/follow-up` | `SubmitRequest` | `SubmitResponse`: a further prompt about the same operation, where offered |
 * | `POST …/begin` | `BeginRequest` | `SubmitResponse`: a session that begins anew, where offered |
 * | `POST …/wait` | `WaitRequest` | `WaitResponse`; `settled: false` when the bound ran out |
 * | `GET …/log?after=N` | | `LogResponse`: raw events |
 * | `GET …/transcript?via=V` | | `TranscriptResponse`: raw messages, by the harness's `history` where it is not said |
 * | `GET …/schema` | | `SchemaResponse` |
 * | `GET …/jobs` | | `JobsResponse` |
 * | `GET …/identity` | | `IdentityResponse`: who and what is there, where an executor does the work |
 * | `POST …/abort` | | `{aborted: boolean}`: the harness's own interrupt of the session |
 * | `POST …/stop-executor` | | `{stopped: true}`: the harness stopped its executor, where one does the work |
 * | `POST …/reset` | | never answers: the object is reset by `ctx.abort()`. A process refuses: 409 `reset-not-offered` |
 * | `POST …/halt` | | never answers: the object forgets everything, its alarm included, and is reset. No harness is asked |
 * | `POST /witnesses/:trial/halt` | | the same of the alarm witness |
 * | `POST /witnesses/:trial` | `WitnessRequest` | `WitnessResponse`: sets the alarm of the alarm witness |
 *
 * An object's answer names the activation that gave it and counts the requests that reached the object, in two headers; so
 * that a request which nobody recorded shows.
 *
 * A subject that is no Durable Object has no alarm, and nothing in it owes one: it answers `POST /witnesses/:trial` with
 * 409 `canary-not-offered`.
 */
import { z } from "zod";
import { Count, Millis, OpaqueId, OperationId } from "../ids.ts";
import { KeySource } from "../levels.ts";
import { IndexObservation, TableObservation, Via } from "../observations.ts";
import { Claim } from "../payloads.ts";
import type { RefusalCode } from "./refusals.ts";

/** In every answer of an object: the activation that gave it. */
export const SERVED_BY_HEADER = "x-kit-served-by";
/** In every answer of an object: how many requests of this protocol it was ever sent, this one and resets left out. */
export const REQUESTS_HEADER = "x-kit-requests";

/** Longest wait in one request for an outcome that is looked for, in ms. */
export const WAIT_MS_MAX = 25_000;
/** Longest wait that the subject holds, in ms: of a request that is open until a reset comes. */
export const OPEN_WAIT_MS_MAX = 600_000;

export const PrepareRequest = z.strictObject({ marker: OpaqueId, key: KeySource });
export type PrepareRequest = z.infer<typeof PrepareRequest>;
export const PrepareResponse = z.strictObject({ activation: OpaqueId, generation: Count, session: OpaqueId });
export type PrepareResponse = z.infer<typeof PrepareResponse>;

export const SubmitRequest = z.strictObject({
  operationId: OperationId,
  text: z.string().min(1).max(20_000),
});
export type SubmitRequest = z.infer<typeof SubmitRequest>;
export const SubmitResponse = z.strictObject({
  operationId: OperationId,
  session: OpaqueId,
  accepted: z.boolean(),
  activation: OpaqueId,
});
export type SubmitResponse = z.infer<typeof SubmitResponse>;

/** `reset`: the trial's session begins anew; `new`: another session of the same object. Its first prompt goes with it. */
export const BeginRequest = SubmitRequest.extend({ beginning: z.enum(["reset", "new"]) });
export type BeginRequest = z.infer<typeof BeginRequest>;

/** `session`: another one than the trial's own. */
export const WaitRequest = z.strictObject({
  operationId: OperationId,
  timeoutMs: Millis.max(OPEN_WAIT_MS_MAX),
  session: OpaqueId.optional(),
});
export type WaitRequest = z.infer<typeof WaitRequest>;
export const OperationResult = z.strictObject({
  operationId: OperationId,
  session: OpaqueId,
  status: z.enum(["done", "unanswered"]),
  reason: z.string().max(20_000).nullable(),
  text: z.string().max(20_000).nullable(),
  /** What the result says of the effect where its text does not; absent where the text alone speaks. */
  claim: Claim.shape.claim.optional(),
});
export type OperationResult = z.infer<typeof OperationResult>;

/** How a `reason` begins when the harness does not know the operation at all. */
export const NOT_FOUND = "not_found";
/**
 * How a `reason` begins when the operation has no answer and nothing is under way that could bring one. It is no outcome:
 * a harness that can tell says so, instead of letting its client wait.
 */
export const IDLE_UNFINISHED = "idle_unfinished";

export const WaitResponse = z.discriminatedUnion("settled", [
  z.strictObject({ settled: z.literal(true), result: OperationResult }),
  z.strictObject({ settled: z.literal(false), waitedMs: Millis }),
]);
export type WaitResponse = z.infer<typeof WaitResponse>;

/** How a subject that is no Durable Object refuses the alarm witness. */
export const WITNESS_NOT_OFFERED = "canary-not-offered" satisfies RefusalCode;

/** Raw events as the harness yielded them; `offered` is false when the harness has no durable log. */
export const LogResponse = z.strictObject({
  offered: z.boolean(),
  session: OpaqueId,
  items: z.array(z.unknown()),
  /** The number of the first event that a reader can get; 0 when it is left out. */
  first: Count.optional(),
  /** False when reading stopped at the size limit. */
  complete: z.boolean(),
});
export type LogResponse = z.infer<typeof LogResponse>;

export const TranscriptResponse = z.strictObject({
  session: OpaqueId,
  /** Which reading it is, where the harness has several. */
  via: Via.optional(),
  messages: z.array(z.unknown()),
  pending: z.array(z.strictObject({ operationId: z.string().max(200), status: z.string().max(40) })),
});
export type TranscriptResponse = z.infer<typeof TranscriptResponse>;

export const SchemaResponse = z.strictObject({
  tables: z.array(TableObservation),
  indexes: z.array(IndexObservation),
  /** What kept the inspector from seeing everything; null when nothing did. */
  error: z.string().max(4_000).nullable(),
});
export type SchemaResponse = z.infer<typeof SchemaResponse>;

export const JobsResponse = z.strictObject({
  jobs: z.array(
    z.strictObject({
      id: z.string(),
      fn: z.string(),
      dueAt: z.number().nullable(),
      running: z.boolean().nullable(),
    }),
  ),
  alarmAt: z.number().nullable(),
  claims: z.array(
    z.strictObject({
      session: z.string(),
      claimedAt: z.number().nullable(),
      resumeAttempts: Count.nullable(),
      held: z.boolean().optional(),
    }),
  ),
  notes: z.array(z.string().max(4_000)).max(100).optional(),
  /** What the inspector could not read or did not recognise; null when nothing. */
  error: z.string().max(4_000).nullable(),
});
export type JobsResponse = z.infer<typeof JobsResponse>;

/** Of a subject whose work is done by an executor. Markers as in the record `identity.read`. */
export const IdentityResponse = z.strictObject({
  session: OpaqueId,
  executor: OpaqueId.nullable(),
  running: z.boolean(),
  markers: z.strictObject({
    object: OpaqueId.nullable(),
    memory: OpaqueId.nullable(),
    workspace: OpaqueId.nullable(),
    state: OpaqueId.nullable(),
    undeclared: OpaqueId.nullable(),
  }),
});
export type IdentityResponse = z.infer<typeof IdentityResponse>;

/** `silent`: answer as usual and set no alarm, so that the gate for a silent alarm witness can be tried. */
export const WitnessRequest = z.strictObject({ delayMs: Millis.max(600_000), silent: z.boolean() });
export type WitnessRequest = z.infer<typeof WitnessRequest>;
export const WitnessResponse = z.strictObject({ dueAt: Millis });
export type WitnessResponse = z.infer<typeof WitnessResponse>;
