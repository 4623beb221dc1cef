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
 * | `POST …/sessions` | | `SessionResponse`: another session, without a prompt, where offered |
 * | `POST …/delete-session` | `SessionResponse` | the same: the object has forgotten that session, where offered |
 * | `GET …/events?session=S` | | a line of JSON for each `StreamLine`, as long as both sides hold on, where offered |
 * | `POST …/wait` | `WaitRequest` | `WaitResponse`; `settled: false` when the bound ran out |
 * | `GET …/log?after=N` | | `LogResponse`: raw events |
 * | `GET …/transcript?via=V` | | `TranscriptResponse`: raw messages, by the harness's `history` where it is not said |
 * | `GET …/schema` | | `SchemaResponse` |
 * | `GET …/jobs` | | `JobsResponse` |
 * | `GET …/identity` | | `IdentityResponse`: who and what is there, where an executor does the work |
 * | `POST …/abort` | | `{aborted: boolean}`: the harness's own interrupt of the session |
 * | `POST …/work` | `WorkRequest` | `WorkResponse`: work was begun in the executor, where ids of it are handed out |
 * | `POST …/reference` | `ReferenceRequest` | `ReferenceResponse`: the work that an id names; an error where it names none |
 * | `POST …/stop-executor` | | `{stopped: true}`: the harness stopped its executor, where one does the work |
 * | `POST …/reset` | | never answers: the object is reset by `ctx.abort()`. A process refuses: 409 `reset-not-offered` |
 * | `GET …/writes` | | `WritesResponse`: the writes that were numbered, where `prepare` asked for it |
 * | `POST …/loss` | | never answers: the object is lost at the write that `prepare` named, and says in its error which that was |
 * | `POST …/halt` | | never answers: the object forgets everything, its alarm included, and is reset. No harness is asked |
 * | `POST /witnesses/:trial/halt` | | the same of the alarm witness |
 * | `POST /containers/:trial/delete-executor`, `…/clear-snapshots` | | no object is asked: `Cleared`, from whatever runs the containers, which admits the key in `OWNER_KEY_HEADER` alone |
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
import { NumberedWrite, WritePlace } from "../writes.ts";
import type { RefusalCode } from "./refusals.ts";

/** In every answer of an object: the activation that gave it. */
export const SERVED_BY_HEADER = "x-kit-served-by";
/** In every answer of an object: how many requests of this protocol it was ever sent, this one and resets left out. */
export const REQUESTS_HEADER = "x-kit-requests";

/** The key of a container's owner, of a request about it that passes its object by. */
export const OWNER_KEY_HEADER = "x-kit-owner-key";

/** Longest wait in one request for an outcome that is looked for, in ms. */
export const WAIT_MS_MAX = 25_000;
/** Longest wait that the subject holds, in ms: of a request that is open until a reset comes. */
export const OPEN_WAIT_MS_MAX = 600_000;

/** `writes`: writes are numbered from the submission on, and at `lose` the object is lost; absent where nobody numbers them. */
export const PrepareRequest = z.strictObject({
  marker: OpaqueId,
  key: KeySource,
  writes: z.strictObject({ lose: WritePlace.nullable() }).optional(),
});
export type PrepareRequest = z.infer<typeof PrepareRequest>;
export const PrepareResponse = z.strictObject({ activation: OpaqueId, generation: Count, session: OpaqueId });
export type PrepareResponse = z.infer<typeof PrepareResponse>;

/** `session`: another one than the trial's own, or the same by its id. */
export const SubmitRequest = z.strictObject({
  operationId: OperationId,
  text: z.string().min(1).max(20_000),
  session: OpaqueId.optional(),
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
export const BeginRequest = SubmitRequest.omit({ session: true }).extend({
  beginning: z.enum(["reset", "new"]),
});
export type BeginRequest = z.infer<typeof BeginRequest>;

export const SessionResponse = z.strictObject({ session: OpaqueId });
export type SessionResponse = z.infer<typeof SessionResponse>;

/**
 * What a client that follows a session's events is told: first how the session stands, then of each operation that ends.
 * `messages` counts those of each operation, by its id.
 */
export const StreamLine = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("begins"),
    pending: z.array(OperationId),
    messages: z.record(z.string(), Count),
  }),
  z.strictObject({
    kind: z.literal("ended"),
    operationId: OperationId,
    status: z.enum(["done", "unanswered"]),
    reason: z.string().max(20_000).nullable(),
  }),
]);
export type StreamLine = z.infer<typeof StreamLine>;

/** `session`: another one than the trial's own, or the same by its id. */
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

/** `work`: a name that the output of the work begins with, so that it can be told from all other. */
export const WorkRequest = z.strictObject({ work: OpaqueId });
export type WorkRequest = z.infer<typeof WorkRequest>;
export const WorkResponse = z.strictObject({
  reference: OpaqueId,
  /** The executor in which it was begun; null where the subject cannot tell. */
  executor: OpaqueId.nullable(),
});
export type WorkResponse = z.infer<typeof WorkResponse>;

export const ReferenceRequest = z.strictObject({ reference: OpaqueId });
export type ReferenceRequest = z.infer<typeof ReferenceRequest>;
export const ReferenceResponse = z.strictObject({ work: OpaqueId });
export type ReferenceResponse = z.infer<typeof ReferenceResponse>;

/** Far above the writes of any turn. */
export const WRITES_MAX = 20_000;
export const WritesResponse = z.strictObject({ writes: z.array(NumberedWrite).max(WRITES_MAX) });
export type WritesResponse = z.infer<typeof WritesResponse>;

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
