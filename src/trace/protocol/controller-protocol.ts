/**
 * The controller Worker's HTTP protocol: what the CLI and the subject's model provider use. Every request carries
 * `Authorization: Bearer <KIT_SECRET>`.
 *
 * | request | body | answer |
 * | --- | --- | --- |
 * | `POST /trials` | `CreateTrialRequest` | 201 `{trial}`; creating the same trial again is a 409 |
 * | `POST /trials/states` | `StatesRequest` | `StatesResponse`: many trials in one call |
 * | `POST /trials/:trial/resets` | `ResetReport` | `{seq}`: the CLI reports a process reset |
 * | `POST /trials/:trial/observations` | `ObservationReport` | `ObservationResponse`: what the CLI read offline, from copied files, or saw of processes |
 * | `POST /trials/:trial/cancel` | `CancelRequest` | `LedgerStatus`: stops the Workflow and closes the journal |
 * | `POST /trials/:trial/halt` | `HaltRequest` | `HaltResponse`: the kill switch of a trial: ends Workflow, journal, object and witness |
 * | `GET /trials/:trial/journal?after=SEQ&limit=N` | | the ledger's NDJSON |
 * | `GET /news?life=L&after=N&timeoutMs=N` | | the ledger's `NewsResponse` |
 * | `GET /work` | | `LabWork`: what the lab has done, for whoever measures it |
 * | `POST /model/:trial/v1/chat/completions` | OpenAI-compatible | the scripted model |
 * | `POST /model/:trial/v1/responses` | OpenAI Responses | the same |
 * | `POST /model/:trial/v1/messages` | Anthropic Messages | the same |
 */
import { z } from "zod";
import { Count, Sha256, TrialId } from "../ids.ts";
import { Phase, Subject } from "../levels.ts";
import { RecordDraft, When } from "../records.ts";
import { Environment, TrialSpec } from "../spec.ts";
import { AwaitingReset, LedgerWork } from "./ledger-protocol.ts";

/** Most trials in one states request. */
export const STATES_MAX = 500;

export const CreateTrialRequest = z.strictObject({ spec: TrialSpec, environment: Environment });
export type CreateTrialRequest = z.infer<typeof CreateTrialRequest>;

/** `workflows`: ask the Workflow engine too, which costs more than the ledger's own summary. */
export const StatesRequest = z.strictObject({
  trials: z.array(TrialId).min(1).max(STATES_MAX),
  workflows: z.boolean(),
});
export type StatesRequest = z.infer<typeof StatesRequest>;

export const TrialState = z.strictObject({
  trial: TrialId,
  /** The Workflow instance's own status; `unknown` also when it was not asked for. */
  workflow: z.enum([
    "queued",
    "running",
    "paused",
    "waiting",
    "complete",
    "errored",
    "terminated",
    "unknown",
  ]),
  phase: Phase.nullable(),
  records: Count,
  head: Sha256.nullable(),
  attempts: Count,
  effects: Count,
  awaitingReset: AwaitingReset.nullable(),
  awaitingReading: When.nullable(),
  /** The reason in `trial.ended`, once there is one. */
  ended: z.string().nullable(),
  error: z.string().nullable(),
});
export type TrialState = z.infer<typeof TrialState>;
export const StatesResponse = z.strictObject({ states: z.array(TrialState) });
export type StatesResponse = z.infer<typeof StatesResponse>;

/** A `reset.performed` or `reset.refused` of source `cli`. */
export const ResetReport = z.strictObject({ record: RecordDraft });
export type ResetReport = z.infer<typeof ResetReport>;

/** `snapshot.…` or `process.…` records of source `cli`, in their order. `id` makes the report idempotent. */
export const ObservationReport = z.strictObject({
  id: z.string().min(1).max(60),
  records: z.array(RecordDraft).min(1).max(10),
});
export type ObservationReport = z.infer<typeof ObservationReport>;
export const ObservationResponse = z.strictObject({ seqs: z.array(z.number().int().min(1)) });
export type ObservationResponse = z.infer<typeof ObservationResponse>;

/** Workflow steps that were run, and what the ledger did, since the lab's process started. */
export const LabWork = z.strictObject({ steps: Count, ledger: LedgerWork });
export type LabWork = z.infer<typeof LabWork>;

/** Ends a trial for good: `subject` says which object is to forget it. */
export const HaltRequest = z.strictObject({ subject: Subject });
export type HaltRequest = z.infer<typeof HaltRequest>;
/** What was there to be ended; everything is ended in any case. */
export const HaltResponse = z.strictObject({ workflow: z.boolean(), journal: z.boolean() });
export type HaltResponse = z.infer<typeof HaltResponse>;

/** Why a trial is closed before its end: the user stopped the run, or the trial's Workflow died. */
export const CancelRequest = z.strictObject({
  reason: z.enum(["cancelled", "error"]),
  detail: z.string().max(4_000),
});
export type CancelRequest = z.infer<typeof CancelRequest>;
