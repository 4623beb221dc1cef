/**
 * The ledger Worker's HTTP protocol: what crosses between it and the controller, the scripted model, the
 * plugin and the CLI. All paths but `/news` and `/work` are under `/trials/:trial`; every request carries `Authorization: Bearer
 * <KIT_SECRET>`. Refusals (`refusals.ts`) are `{error: {code, message}}` with a 4xx status, and record nothing.
 *
 * | request | body | answer |
 * | --- | --- | --- |
 * | `PUT /trials/:trial` | `LedgerConfig` | `LedgerStatus`; 409 when it exists with another configuration |
 * | `GET /trials/:trial` | | `LedgerStatus` |
 * | `POST …/records` | `AppendRequest` | `AppendResponse`; the same `id` again answers the first record's seq |
 * | `POST …/record-lists` | `AppendListRequest` | `AppendListResponse`: the same for several, in their order, all or none |
 * | `GET …/records/:id` | | `RecordResponse`: what was appended under `id`, or null |
 * | `POST …/attempts` | `AttemptRequest` | `AttemptResponse`, after any hold; 409 `attempt-rejected` |
 * | `POST …/look-ups` | `LookUpRequest` | `LookUpResponse` |
 * | `POST …/model-calls` | `ModelCallRequest` | `ModelCallResponse`, after any hold at `model-request` |
 * | `POST …/model-streams` | `ModelStreamRequest` | `{}`, after any hold at `model-stream` |
 * | `POST …/releases` | `ReleaseRequest` | `LedgerStatus` |
 * | `POST …/end` | `EndRequest` | `LedgerStatus`; closes the journal |
 * | `GET …/await?types=a,b&after=SEQ&timeoutMs=N` | | `AwaitResponse`: the first such record, or null |
 * | `GET …/journal?after=SEQ&limit=N` | | NDJSON, the stored lines; `x-journal-records`, `x-journal-head` |
 * | `GET /news?life=L&after=N&timeoutMs=N` | | `NewsResponse`: which trials have news for whoever runs them; a hint |
 * | `GET /work` | | `LedgerWork`: what the process has done, for whoever measures it |
 *
 * Codes that decide what a caller may conclude, all 409: `attempt-rejected` (no effect, and never will be),
 * `receipt-undeliverable` (the withheld receipt was dropped: the attempt did commit), `hold-dropped` (a held model call
 * was dropped), `trial-ended` (the journal is closed; a held attempt stays what it was). A 5xx says nothing about what
 * was recorded. `…/await` answers null at once when the journal is closed, since nothing can follow.
 */
import { z } from "zod";
import { Action, ActionKey, Count, Millis, ModelId, OpaqueId, Sha256, TrialId } from "../ids.ts";
import { Destination, HeldAttempt, KeySource, LookUps, Phase, Policy, Reset } from "../levels.ts";
import { Hold, JournalRecord, RecordDraft, When } from "../records.ts";
import { Script } from "../script.ts";
import { IntendedAction } from "../spec.ts";

/** Largest request bodies, in bytes of UTF-8. */
export const ATTEMPT_BYTES_MAX = 16 * 1024;
export const RECORD_BYTES_MAX = 1024 * 1024;
/** Longest long-poll that the ledger holds, in ms. */
export const AWAIT_MS_MAX = 25_000;
/** Most lines in one page of the journal. */
export const JOURNAL_PAGE_MAX = 1_000;

export const LedgerConfig = z.strictObject({
  destination: Destination,
  holds: z.array(Hold).max(20),
  heldAttempt: HeldAttempt,
  /** Absent: look-ups show what there is. */
  lookUps: LookUps.optional(),
  policy: Policy,
  key: KeySource,
  intended: z.array(IntendedAction).min(1).max(10),
  /** The real model that is to answer; absent for the scripted one. */
  model: ModelId.optional(),
  /** What the scripted model does in an agent with tools of its own; absent for the ledger tools. */
  script: Script.optional(),
});
export type LedgerConfig = z.infer<typeof LedgerConfig>;

/** `seq` is that of the record that requests it. */
export const AwaitingReset = z.strictObject({
  reset: Reset,
  ordinal: z.number().int().min(1),
  seq: z.number().int().min(1),
});

export const LedgerStatus = z.strictObject({
  records: Count,
  head: Sha256,
  phase: Phase.nullable(),
  /** A reset that was requested and neither performed nor refused yet. */
  awaitingReset: AwaitingReset.nullable(),
  /** A reading of the storage's files that was requested and is not complete yet. */
  awaitingReading: When.nullable(),
  heldNow: z.array(Hold),
  openAttempts: z.array(z.number().int().min(1)),
  attempts: Count,
  effects: Count,
  ended: z.string().nullable(),
});
export type LedgerStatus = z.infer<typeof LedgerStatus>;

/** `id` makes an append idempotent: a step that runs twice records once. */
export const AppendRequest = z.strictObject({ id: z.string().min(1).max(200), record: RecordDraft });
export type AppendRequest = z.infer<typeof AppendRequest>;
export const AppendResponse = z.strictObject({ seq: z.number().int().min(1), repeated: z.boolean() });
export type AppendResponse = z.infer<typeof AppendResponse>;

/** Most records in one list: more than belong to one moment of a trial. */
export const APPEND_LIST_MAX = 20;
export const AppendListRequest = z.strictObject({
  records: z.array(AppendRequest).min(1).max(APPEND_LIST_MAX),
});
export type AppendListRequest = z.infer<typeof AppendListRequest>;
export const AppendListResponse = z.strictObject({ answers: z.array(AppendResponse) });
export type AppendListResponse = z.infer<typeof AppendListResponse>;
export const RecordResponse = z.strictObject({ record: JournalRecord.nullable() });
export type RecordResponse = z.infer<typeof RecordResponse>;

/** Who makes the attempt, as the subject says. */
const caller = {
  /** Null where the request does not say. */
  activation: OpaqueId.nullable(),
  /** Where the work is done apart from the object. */
  executor: OpaqueId.optional(),
  session: OpaqueId,
  call: OpaqueId.nullable(),
};

export const AttemptRequest = z.strictObject({
  action: Action,
  key: ActionKey.nullable(),
  payload: z.string().max(8_000),
  generation: z.number().int().min(1).nullable(),
  message: OpaqueId,
  ...caller,
});
export type AttemptRequest = z.infer<typeof AttemptRequest>;

export const AttemptResponse = z.strictObject({
  attempt: z.number().int().min(1),
  effect: OpaqueId,
  receipt: OpaqueId,
  /** True when the destination is `unique` and this is the original receipt of an earlier effect. */
  deduplicated: z.boolean(),
});
export type AttemptResponse = z.infer<typeof AttemptResponse>;

export const LookUpRequest = z.strictObject({ action: Action, key: ActionKey.nullable(), ...caller });
export type LookUpRequest = z.infer<typeof LookUpRequest>;
export const LookUpResponse = z.strictObject({
  found: z.boolean(),
  effects: z.array(z.strictObject({ effect: OpaqueId, receipt: OpaqueId })),
});
export type LookUpResponse = z.infer<typeof LookUpResponse>;

/** What the model saw in a request; the ledger numbers the call and records `model.requested`. */
export const ModelCallRequest = z.strictObject({
  purpose: z.enum(["turn", "title", "compaction"]),
  activation: OpaqueId.nullable(),
  executor: OpaqueId.optional(),
  session: OpaqueId.nullable(),
  messages: Count,
  results: z.array(
    z.strictObject({
      call: OpaqueId,
      tool: z.string().max(100),
      outcome: z.enum(["ok", "error"]),
      text: z.string().max(2_000),
    }),
  ),
  restartNotice: z.boolean(),
  prompts: Count.optional(),
  tokens: Count,
});
export type ModelCallRequest = z.infer<typeof ModelCallRequest>;
export const ModelCallResponse = z.strictObject({
  call: z.number().int().min(1),
  ordinal: z.number().int().min(1),
  policy: Policy,
  key: KeySource,
  intended: z.array(IntendedAction),
  /** As configured. */
  model: ModelId.optional(),
  script: Script.optional(),
});
export type ModelCallResponse = z.infer<typeof ModelCallResponse>;

export const ModelStreamRequest = z.strictObject({ call: z.number().int().min(1) });
export type ModelStreamRequest = z.infer<typeof ModelStreamRequest>;

/**
 * Lets a hold go. `proceed`: the held request goes on (a withheld receipt is handed over, an uncommitted attempt
 * commits). `drop`: an uncommitted attempt is rejected; a withheld receipt is recorded as undeliverable; a held
 * model call is answered with an error.
 */
export const ReleaseRequest = z.strictObject({ hold: Hold, how: z.enum(["proceed", "drop"]) });
export type ReleaseRequest = z.infer<typeof ReleaseRequest>;

export const EndRequest = z.strictObject({
  source: z.enum(["controller", "cli"]),
  reason: z.enum([
    "completed",
    "point-not-reached",
    "reset-not-performed",
    "submit-failed",
    "cancelled",
    "error",
  ]),
  detail: z.string().max(4_000).nullable(),
});
export type EndRequest = z.infer<typeof EndRequest>;

/**
 * `life` and `last` of the answer before, or any text and 0. The answer of another life than the reader's has no news: it
 * says from where to go on, and what came before has to be looked at.
 */
export const NewsQuery = z.strictObject({
  life: z.string().max(100),
  after: Count,
  timeoutMs: Millis.max(AWAIT_MS_MAX),
});
export type NewsQuery = z.infer<typeof NewsQuery>;
export const NewsResponse = z.strictObject({
  life: z.string().max(100),
  last: Count,
  /** `look`: there is more to it than the phase, so that its status is worth asking for. */
  news: z.array(z.strictObject({ trial: TrialId, phase: Phase.nullable(), look: z.boolean() })),
});
export type NewsResponse = z.infer<typeof NewsResponse>;

/** Since the ledger's process started; nothing depends on it. */
export const LedgerWork = z.strictObject({ requests: Count, transactions: Count });
export type LedgerWork = z.infer<typeof LedgerWork>;

export const AwaitResponse = z.strictObject({ record: JournalRecord.nullable(), records: Count });
export type AwaitResponse = z.infer<typeof AwaitResponse>;

export const AwaitQuery = z.strictObject({
  types: z.array(z.string()).min(1).max(20),
  after: Count,
  timeoutMs: Millis.max(AWAIT_MS_MAX),
});
export type AwaitQuery = z.infer<typeof AwaitQuery>;
