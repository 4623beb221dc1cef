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
  UndecodableRow,
  Via,
  When,
} from "./observations.ts";
import { Environment, HostIdentity, TrialSpec } from "./spec.ts";
import { NumberedWrite, WriteLoss } from "./writes.ts";

export const Source = z.enum(["ledger", "controller", "subject", "model", "cli", "gate"]);
export type Source = z.infer<typeof Source>;

const AttemptNumber = z.number().int().min(1).describe("number of the attempt within the trial, from 1");
const ModelCall = z
  .number()
  .int()
  .min(1)
  .describe("number of the model request, from 1, over all requests of the trial");
const Generation = z
  .number()
  .int()
  .min(1)
  .describe("durable counter of activations in the object's storage, from 1");
const Opening = z.number().int().min(1).describe("how often the activation had opened it by then, from 1");
const ResetOrdinal = z.number().int().min(1).describe("number of the reset within the trial, from 1");
const Pid = Count.describe("process id on this machine");
const Text = z.string().max(20_000);
const ErrorText = z.string().max(4_000);
/** The first lines of a stack, without the folders of the machine. */
const Stack = z.array(z.string().max(300)).max(10);
const CallError = ErrorText.nullable().describe("what the call failed with; null when it did not");
const ReadError = ErrorText.nullable().describe("what the reading failed with; null when it did not");
const TokenCount = Count.meta({ unit: "tokens" });
const Tokens = z.strictObject({
  input: TokenCount.describe("tokens of the request"),
  output: TokenCount.describe("tokens of the answer"),
});
const Purpose = z
  .enum(["turn", "title", "compaction"])
  .describe("what the host asked the model for: to work, to name the session, to shorten its history");
const Cause = z
  .enum(["fetch", "alarm", "rpc", "websocket", "process-start", "unknown"])
  .describe(
    "what woke it; `websocket`: an event of a connection that outlived its object; `process-start`: whoever runs the trials started the process that is the subject",
  );
const Session = OpaqueId.describe("session of the subject");
const Submitted = OperationId.describe("id that the client chose");
const Settled = z
  .enum(["done", "unanswered"])
  .describe("`unanswered`: the subject says that no answer will come");
const Accepted = z
  .boolean()
  .nullable()
  .describe("whether the harness took it as new, in its own word; null when the call failed");
const Reason = Text.nullable().describe("why it is unanswered, in the harness's own word");
const FinalText = Text.nullable().describe("the final text; null when there is none");
const Reached = OpaqueId.describe("the activation; a random id of one life of the object in memory");
const Key = ActionKey.nullable().describe("key that the attempt carries; null for none");
const Asked = Action.describe("the action that is asked for");
const Effect = OpaqueId.describe("id of the effect");
const Receipt = OpaqueId.describe("the ledger's answer, which names the effect");
const Mechanism = ShortText.describe("what was done, in the field's words: `ctx.abort()`, `SIGKILL`");
const ResetLevel = Reset.describe("which reset; a sequence is recorded step by step");
const HowRead = How.describe(
  "`object`: through the object, which touches it; `offline`: from a copy of its files",
);
const WhenRead = When.describe(
  "before the reset (`look`), in the quiet interval, by the client that came back (of the log: on from its cursor), at the end",
);
/** The `seq` of the record that brought this one about; null when none is known. */
const Because = z
  .number()
  .int()
  .min(1)
  .nullable()
  .describe("`seq` of the record that brought this one about; null when none is known");
/** The activation that served a request, as its answer says; absent in traces of before it was recorded. */
const ServedBy = OpaqueId.nullable()
  .optional()
  .describe("activation that served the request, as its answer says; absent in older traces");

/** The executor whose tool or agent acts, where the subject's work is done apart from its object. */
const Executor = OpaqueId.describe("the executor: the id under which its container was started");
const ActingExecutor = OpaqueId.optional().describe(
  "executor that asks, where one does the work apart from the object; absent where the activation does it itself",
);

/** Harmless marks, by where they live. Those in files name the executor that wrote them, which none does over another. */
const Markers = z.strictObject({
  object: OpaqueId.nullable().describe("in the object's storage"),
  memory: OpaqueId.nullable().describe("in the memory of the object"),
  workspace: OpaqueId.nullable().describe("in the workspace of what runs in the container"),
  state: OpaqueId.nullable().describe("in the state folder that is declared to the harness"),
  undeclared: OpaqueId.nullable().describe("beside that folder, declared to nobody"),
});

/** Work that a client handed in, and how it ended, as the subject told it. */
const HANDED_IN = {
  operationId: Submitted,
  session: Session,
  accepted: Accepted,
  error: CallError,
  activation: ServedBy,
} as const;
const ENDED = {
  operationId: Submitted,
  session: Session,
  status: Settled,
  reason: Reason,
  text: FinalText,
  activation: ServedBy,
} as const;

/** A place where the ledger or the model holds a request until it is released. `occurrence` counts from 1. */
export const Hold = z.strictObject({
  point: Point.exclude([
    "none",
    "after-sync",
    "after-answer",
    "during-recovery",
    "accepted",
    "queued",
    "write",
  ]).describe("point of the turn"),
  occurrence: z.number().int().min(1).describe("which request that comes to the point, from 1"),
});
export type Hold = z.infer<typeof Hold>;

/** What the final text of an operation claims about the outside effect. `none`: no claim could be read. */
export const Claim = z.strictObject({
  claim: z
    .enum(["committed", "unknown", "not-committed", "none"])
    .describe("what it says about the effect; `none`: no claim could be read"),
  receipt: z.string().max(200).nullable().describe("receipt that it names; null for none"),
});
export type Claim = z.infer<typeof Claim>;
/**
 * Payloads by type, without the fields that the ledger adds. `sources` says who may append the type, `says` what the
 * record says; descriptions of types and fields become `traces/README.md`.
 */
export const PAYLOADS = {
  "trial.started": {
    sources: ["controller"],
    says: "The trial begins: what was asked for, and what it runs on.",
    shape: {
      spec: TrialSpec.describe("what the trial was asked to do"),
      environment: Environment.describe("what it ran on"),
    },
  },
  "phase.entered": {
    sources: ["controller"],
    says: "The controller entered a phase of the trial.",
    shape: { phase: Phase.describe("the phase, in the order of `docs/trial.md`") },
  },
  "ledger.configured": {
    sources: ["ledger"],
    says: "The ledger took the trial's configuration.",
    shape: {
      destination: Destination.describe("what attempts act upon"),
      holds: z.array(Hold).describe("where requests will be held"),
    },
  },
  "marker.written": {
    sources: ["controller"],
    says: "The durable marker stands in the object's storage.",
    shape: { marker: OpaqueId.describe("the marker"), activation: Reached },
  },

  "identity.read": {
    sources: ["controller"],
    says: "Who and what is there at one of four moments, read through the object: its activation, the executor that it names, and the markers by where they live. Read where an executor does the work apart from the object.",
    shape: {
      moment: z
        .enum(["begin", "before", "follow-up", "settled"])
        .describe("before any work, before the reset, after the probe, at the end"),
      session: Session,
      activation: ServedBy,
      executor: Executor.nullable().describe("executor that the harness names; null when it names none"),
      running: z.boolean().nullable().describe("whether it says that it runs; null when the reading failed"),
      markers: Markers.describe("each null where there is none, or it could not be read"),
      error: ReadError,
      because: Because,
    },
  },

  "operation.submitted": {
    sources: ["controller"],
    says: "The client handed the operation in.",
    shape: {
      operationId: Submitted,
      session: Session,
      purpose: z
        .enum(["first", "again", "at-once", "new-id"])
        .describe(
          "`first`, or `again` with the same id after the reset; `at-once`: the other one of two that were on their way together, which are the same but for what became of them: the one that was taken as new stands before it; `new-id`: the same prompt as another operation",
        ),
      accepted: Accepted,
      error: CallError,
      activation: ServedBy,
    },
  },
  "operation.settled": {
    sources: ["controller"],
    says: "The operation came to an end, as the subject tells the client.",
    shape: {
      operationId: Submitted,
      session: Session,
      status: Settled,
      reason: Reason,
      text: FinalText,
      claim: Claim.describe("what the final text claims about the effect"),
      activation: ServedBy,
    },
  },
  "operation.followed-up": {
    sources: ["controller"],
    says: "The client asked the session to go on with the operation, in a further prompt: the harness had said that nothing is under way and nothing was answered, and submitting the operation again had changed nothing.",
    shape: { operationId: Submitted, session: Session, error: CallError, activation: ServedBy },
  },
  "probe.submitted": {
    sources: ["controller"],
    says: "The client handed in the probe: new work, to see whether the session answers any.",
    shape: HANDED_IN,
  },
  "probe.settled": {
    sources: ["controller"],
    says: "The probe came to an end.",
    shape: ENDED,
  },
  "ahead.submitted": {
    sources: ["controller"],
    says: "The client handed in work of another kind before the operation, which is to wait behind it.",
    shape: { ...HANDED_IN, because: Because },
  },
  "ahead.settled": {
    sources: ["controller"],
    says: "The work before the operation came to an end.",
    shape: { ...ENDED, because: Because },
  },
  "rival.submitted": {
    sources: ["controller"],
    says: "A second client handed new work in, at the same time as the probe.",
    shape: { ...HANDED_IN, because: Because },
  },
  "rival.settled": {
    sources: ["controller"],
    says: "The second client's work came to an end.",
    shape: { ...ENDED, because: Because },
  },
  "session.begun": {
    sources: ["controller"],
    says: "After the probe the client had a session begin anew and handed its first prompt in: the trial's own, which took no work any more, or another one of the same object.",
    shape: {
      beginning: z.enum(["reset", "new"]).describe("`reset`: the trial's own session; `new`: another one"),
      session: Session,
      operationId: Submitted,
      accepted: Accepted,
      error: CallError,
      activation: ServedBy,
      because: Because,
    },
  },
  "session.settled": {
    sources: ["controller"],
    says: "The first prompt of a session that began anew came to an end.",
    shape: { ...ENDED, because: Because },
  },
  "job.recorded": {
    sources: ["controller"],
    says: "The job record of an operator, as it stands from here on: all that whoever takes the job up again has at hand. Kept where drills are tried.",
    shape: {
      job: OperationId.describe("the job: the operation's id"),
      session: Session,
      owner: OpaqueId.describe("whose it is: the name under which the object is reached"),
      status: z
        .enum(["submitted", "done", "unanswered", "missing", "deleted"])
        .describe(
          "last status that its owner learnt; `missing`: the object knows no such job; `deleted`: its owner had its session deleted",
        ),
      because: Because,
    },
  },
  "operator.acted": {
    sources: ["controller"],
    says: "An operator did something with the job record in hand (`because`), and what it was answered. Whether it had an effect, other records say.",
    shape: {
      act: z
        .enum([
          "open-session",
          "stop-executor",
          "clear-snapshots",
          "delete-executor",
          "delete-session-record",
        ])
        .describe(
          "`open-session`: hand work in to a session by its id; `stop-executor`: have the harness stop it; `delete-executor` and `clear-snapshots` are asked of whatever runs the containers, the others of the object",
        ),
      as: z
        .enum(["owner", "other-owner", "nobody"])
        .describe("whose id or key was presented; `nobody`: none was"),
      session: Session.nullable().describe("session that was presented; null where none was"),
      outcome: z.enum(["done", "refused"]).describe("in the word of whoever was asked"),
      error: CallError,
      because: Because,
    },
  },
  "stream.read": {
    sources: ["controller"],
    says: "A client followed the session's events again, after it had been cut off from them: what it was told of the job.",
    shape: {
      operationId: Submitted,
      session: Session,
      pending: z
        .boolean()
        .nullable()
        .describe("whether the job is under way, as the stream begins; null when it did not begin"),
      messages: Count.describe("messages of the job in what the stream begins with"),
      end: z
        .strictObject({ status: Settled, reason: Reason })
        .nullable()
        .describe("how the job ended, in an event of the stream; null when none told"),
      error: CallError,
      because: Because,
    },
  },
  "work.begun": {
    sources: ["controller"],
    says: "A client had a piece of work begun in the executor and was handed an id for it, where the subject hands out such ids.",
    shape: {
      moment: z.enum(["before", "after"]).describe("before the reset, or after it as new work"),
      work: OpaqueId.describe("name of the work, which its output shows"),
      reference: OpaqueId.nullable().describe("the id that was handed out; null when the call failed"),
      executor: Executor.nullable().describe(
        "executor in which it was begun, in the subject's own word; null when it names none",
      ),
      error: CallError,
      activation: ServedBy,
      because: Because,
    },
  },
  "reference.used": {
    sources: ["controller"],
    says: "After the reset a client used an id that it had been handed for work: which work answers to it now.",
    shape: {
      moment: z
        .enum(["before-new-work", "after-new-work"])
        .describe("before the client began new work, or after that"),
      reference: OpaqueId.describe("the id"),
      work: OpaqueId.nullable().describe(
        "name of the work that answers to it, as its output shows; null when none does",
      ),
      error: ErrorText.nullable().describe("with which words the id was rejected; null when work answered"),
      activation: ServedBy,
      because: Because,
    },
  },
  "wait.expired": {
    sources: ["controller"],
    says: "A bounded wait ran out. It says nothing about what happened.",
    shape: {
      waitedFor: ShortText.describe("what was waited for"),
      boundMs: Millis.describe("how long it was waited for"),
    },
  },
  "client.reconnected": {
    sources: ["controller"],
    says: "The client came back and asked for the session.",
    shape: {
      ok: z.boolean().describe("whether the object answered"),
      activation: OpaqueId.nullable().describe(
        "activation that answered; null when none did or it does not say",
      ),
      error: CallError,
      requestsBefore: Count.nullable()
        .optional()
        .describe(
          "requests that reached the object since it was last spoken to, this one left out; null when the object cannot tell, absent in older traces",
        ),
    },
  },

  "subject.activated": {
    sources: ["subject"],
    says: "A new activation of the object reports itself.",
    shape: {
      activation: Reached,
      isolate: OpaqueId.describe(
        "random id of the isolate: survives `ctx.abort()`, changes when the process or the code does",
      ),
      generation: Generation,
      cause: Cause,
      marker: OpaqueId.nullable().describe(
        "the durable marker as read on activation; null when it is missing",
      ),
      object: OpaqueId.describe("id of the Durable Object, or of what stands for it"),
      version: z
        .strictObject({
          id: z.string().max(200).describe("version id"),
          tag: z.string().max(200).describe("version tag"),
        })
        .describe("Worker version from the version metadata binding; empty strings locally"),
      host: HostIdentity.describe("the host that it really runs"),
      subjectAt: Millis.describe("when it began, on the object's clock"),
      late: z
        .boolean()
        .describe("true when the record was kept in the object's outbox and sent by a later activation"),
    },
  },

  "activation.failed": {
    sources: ["subject"],
    says: "An activation could not begin or its handler threw, as told by what starts it.",
    shape: {
      activation: Reached,
      generation: Generation.nullable().describe(
        "its number, from 1; null where it did not come so far as to be counted",
      ),
      cause: Cause,
      error: ErrorText.describe("exact text of the error"),
      stack: Stack.optional().describe(
        "where it was thrown, innermost first; empty when that is not known, absent in older traces",
      ),
      because: Because,
    },
  },
  "worker.exception": {
    sources: ["subject"],
    says: "Code of the subject threw, nothing in it caught that, and no other record tells of it. It changes no verdict. Told half a second after a promise was rejected, since somebody may still take it; so one of a host that is lost meanwhile is not told.",
    shape: {
      activation: Reached,
      generation: Generation.nullable().describe("its number, from 1; null before it was counted"),
      ordinal: z
        .number()
        .int()
        .min(1)
        .describe("number among the exceptions of the activation, from 1; no more than 20 are told"),
      where: z
        .enum(["promise", "listener", "wait-until", "fetch"])
        .describe(
          "a rejected promise that nobody took; a microtask or the listener of an event; what the runtime was to wait for; the object's own answer to a request that is none of the kit's",
        ),
      error: ErrorText.describe("exact text of the error"),
      stack: Stack.describe("where it was thrown, innermost first; empty when that is not known"),
      because: Because,
    },
  },
  "host.opened": {
    sources: ["subject"],
    says: "The OpenCode host of the activation was opened; each time anew after it was closed.",
    shape: { activation: Reached, opening: Opening, because: Because },
  },
  "host.closed": {
    sources: ["subject"],
    says: "The harness closed the host while its object lived on, as it does with one that is idle.",
    shape: { activation: Reached, opening: Opening, because: Because },
  },

  "model.requested": {
    sources: ["ledger"],
    says: "The subject asked the model.",
    shape: {
      call: ModelCall,
      purpose: Purpose,
      ordinal: z.number().int().min(1).describe("number among the requests of the same purpose, from 1"),
      activation: OpaqueId.nullable().describe("activation that asks; null when the request does not say"),
      executor: ActingExecutor,
      session: OpaqueId.nullable().describe("session that asks; null when the request does not say"),
      messages: Count.describe("messages in the request"),
      results: z
        .array(
          z.strictObject({
            call: OpaqueId.describe("tool call"),
            tool: z.string().max(100).describe("name of the tool"),
            outcome: z.enum(["ok", "error"]).describe("how the request shows its result"),
            text: z.string().max(2_000).optional().describe("the text itself, cut; absent in older traces"),
          }),
        )
        .describe("what the request shows of earlier tool calls"),
      restartNotice: z.boolean().describe("whether the request carries a notice that the work was restarted"),
      prompts: Count.optional().describe(
        "how many prompts in the request ask for the operation: more than one where it was handed in under several ids; absent in older traces",
      ),
      tokens: TokenCount.describe("size of the request, as the scripted model counts"),
    },
  },
  "model.answered": {
    sources: ["model"],
    says: "The scripted model gave its answer.",
    shape: {
      call: ModelCall,
      purpose: Purpose,
      finish: z
        .enum(["stop", "tool-calls"])
        .describe("whether the model wants tools to be called or has ended"),
      toolCalls: z
        .array(
          z.strictObject({
            call: OpaqueId.describe("id that the model gave the call"),
            tool: z.string().max(100).describe("name of the tool"),
            action: Action.nullable().describe("action that it is to ask for; null for none"),
            key: ActionKey.nullable().describe("key that it is to carry; null for none"),
          }),
        )
        .describe("the tool calls that it asks for"),
      text: Text.describe("text of the answer"),
      tokens: Tokens.describe("size of request and answer, as the scripted model counts"),
    },
  },
  "model.refused": {
    sources: ["model"],
    says: "The scripted model refused a request as a real provider would.",
    shape: { status: Count.describe("HTTP status"), reason: ErrorText.describe("what the provider says") },
  },

  "attempt.received": {
    sources: ["ledger"],
    says: "The ledger received a request of the agent's tool to make the change.",
    shape: {
      attempt: AttemptNumber,
      action: Asked,
      key: Key,
      payloadSha256: Sha256.describe("hash of what was to be changed"),
      activation: OpaqueId.nullable().describe(
        "activation whose tool asks, or that drives the executor that does; null when the request does not say",
      ),
      generation: Generation.nullable().describe("its number, from 1; null when the request does not say"),
      executor: ActingExecutor,
      session: Session,
      message: OpaqueId.describe("message with the tool call"),
      call: OpaqueId.nullable().describe(
        "tool call, as the harness names it to the tool; null when the request does not say",
      ),
    },
  },
  "effect.committed": {
    sources: ["ledger"],
    says: "The ledger committed the change: it happened outside.",
    shape: {
      effect: Effect,
      attempt: AttemptNumber,
      action: Action.describe("the action that was done"),
      key: Key,
      receipt: Receipt,
    },
  },
  "effect.deduplicated": {
    sources: ["ledger"],
    says: "The ledger found the effect of an earlier attempt under the same key, and made none.",
    shape: {
      attempt: AttemptNumber,
      effect: OpaqueId.describe("id of the earlier effect"),
      receipt: Receipt,
    },
  },
  "attempt.rejected": {
    sources: ["ledger"],
    says: "The ledger definitely made no new effect for this attempt, and never will.",
    shape: { attempt: AttemptNumber, reason: ShortText.describe("why") },
  },
  "hold.reached": {
    sources: ["ledger"],
    says: "A request came to a point and is held there.",
    shape: {
      hold: Hold.describe("where it is held"),
      attempt: AttemptNumber.nullable().describe("the held attempt; null for a model request"),
      call: ModelCall.nullable().describe("the held model request; null for an attempt"),
    },
  },
  "hold.released": {
    sources: ["ledger"],
    says: "A held request goes on.",
    shape: {
      hold: Hold.describe("where it was held"),
      why: z.enum(["controller", "trial-ended"]).describe("at whose word"),
    },
  },
  "receipt.withheld": {
    sources: ["ledger"],
    says: "The effect is committed, its receipt is kept back.",
    shape: { attempt: AttemptNumber, effect: Effect },
  },
  "receipt.released": {
    sources: ["ledger"],
    says: "A receipt that was kept back goes on its way.",
    shape: { attempt: AttemptNumber },
  },
  "receipt.sent": {
    sources: ["ledger"],
    says: "The ledger handed the receipt to the connection. Not proof that the subject read it.",
    shape: { attempt: AttemptNumber, effect: Effect, receipt: Receipt },
  },
  "receipt.undeliverable": {
    sources: ["ledger"],
    says: "The receipt had nowhere to go: its caller is gone, or it was given up with its host.",
    shape: { attempt: AttemptNumber, detail: ShortText.describe("how that is known") },
  },
  "entry.read": {
    sources: ["ledger"],
    says: "The agent's tool looked up what the ledger has under an action or a key.",
    shape: {
      action: Action.describe("action that is looked up"),
      key: ActionKey.nullable().describe("key that is looked up; null for none"),
      found: z.boolean().describe("whether the ledger has an effect of it"),
      effects: z.array(OpaqueId).describe("those that it has"),
      activation: OpaqueId.nullable().describe(
        "activation whose tool asks, or that drives the executor that does; null when the request does not say",
      ),
      executor: ActingExecutor,
      session: Session,
      call: OpaqueId.nullable().describe("tool call of the look-up; null when the request does not say"),
    },
  },
  "request.refused": {
    sources: ["gate"],
    says: "A request left the agent's Worker that the trial's rules do not let out: it was answered with status 599, and nothing was sent.",
    shape: {
      way: z
        .enum(["fetch", "websocket", "socket", "ai-binding"])
        .describe("how it left: a request of HTTP, a WebSocket, a socket of TCP, the AI binding"),
      request: ShortText.describe("method and address without the query; of a socket, host and port"),
      why: z
        .enum(["no-rule", "no-action", "no-model-request", "trial-ended"])
        .describe(
          "no rule is for it; its rule names an action that the request does not have; its rule says that it is the model's, and it is not readable as such; the trial is over",
        ),
      activation: OpaqueId.nullable().describe("activation that sent it; null when the request does not say"),
      because: Because,
    },
  },

  "reset.requested": {
    sources: ["controller"],
    says: "The controller asks for a reset.",
    shape: {
      reset: ResetLevel,
      ordinal: ResetOrdinal,
      activation: OpaqueId.nullable().describe(
        "activation that it is to take away; null when that is not known",
      ),
    },
  },
  "reset.performed": {
    sources: ["controller", "cli"],
    says: "A reset was performed. Whether it took the host away is for the judge.",
    shape: {
      reset: ResetLevel,
      ordinal: ResetOrdinal,
      mechanism: Mechanism,
      error: ErrorText.nullable().describe(
        "exact text of the error that the caller of the lost host saw; null for none",
      ),
      process: z
        .strictObject({
          pid: Pid.describe("process that ended"),
          exitCode: z.number().int().nullable().describe("its exit code; null when a signal ended it"),
          signal: z.string().max(20).nullable().describe("signal that ended it; null for none"),
          nextPid: Pid.nullable().describe("process that took its place; null for none"),
          trials: Count.describe("how many trials this one reset hit"),
          cluster: OpaqueId.describe("name of that cluster, for statistics"),
        })
        .nullable()
        .describe("of a process reset: the process that ended and the one that took its place; else null"),
      write: WriteLoss.optional().describe(
        "of a loss at a numbered write: where it was, as the object said when it ended; absent elsewhere",
      ),
    },
  },
  "writes.numbered": {
    sources: ["controller"],
    says: "What the first activation had written since the submission, in order, without contents: the kit's own tables are left out.",
    shape: {
      activation: Reached,
      writes: z.array(NumberedWrite).max(1_000).describe("the writes; a long list is in several records"),
      because: Because,
    },
  },
  "request.ended": {
    sources: ["controller"],
    says: "A client had a request open when the reset came, which waited for the operation or followed the session's events: what became of it, as the runtime or the platform told the client. It decides nothing.",
    shape: {
      ordinal: ResetOrdinal,
      end: z
        .enum(["failed", "answered", "open"])
        .describe(
          "`failed`: it was cut off; `answered`: it had its answer; `open`: it went on after the reset",
        ),
      status: z
        .number()
        .int()
        .nullable()
        .describe("HTTP status that the client got; null when it got no answer"),
      error: ErrorText.nullable().describe("exact text that the client got; null when it was not cut off"),
    },
  },
  "process.ended": {
    sources: ["cli"],
    says: "A process with the subject's storage ended, as the operating system told its parent; recorded when it ended.",
    shape: {
      pid: Pid,
      exitCode: z.number().int().nullable().describe("exit code; null when a signal ended it"),
      signal: z.string().max(20).nullable().describe("signal that ended it; null for none"),
      meant: z.boolean().describe("whether whoever runs the trials ended it"),
      because: Because,
    },
  },
  "process.started": {
    sources: ["cli"],
    says: "A process on the subject's storage listens; every one that ever runs there is recorded.",
    shape: { pid: Pid, because: Because },
  },
  "state.read": {
    sources: ["cli"],
    says: "The folder that is the state of a command was looked at before the command was started, files of the kit left out. It decides nothing: two readings that are the same show that nothing was written between them.",
    shape: {
      files: Count.describe("how many files lie in it"),
      bytes: Count.meta({ unit: "bytes" }).describe("how large they are together"),
      sha256: Sha256.describe("hash of their names, sizes and times"),
      because: Because,
    },
  },
  "agent.ended": {
    sources: ["cli"],
    says: "The command that is the subject ended by itself, as the operating system told its parent. It decides nothing but whether the trial's point can still be reached.",
    shape: {
      activation: Reached,
      pid: Pid,
      exitCode: z.number().int().nullable().describe("exit code; null when a signal ended it"),
      signal: z.string().max(20).nullable().describe("signal that ended it; null for none"),
      because: Because,
    },
  },
  "executor.started": {
    sources: ["cli"],
    says: "An executor was started in the subject's container; recorded before it could be spoken to.",
    shape: {
      executor: Executor,
      pid: Pid,
      from: z
        .enum(["image", "snapshot"])
        .describe("what its file system began as: empty, or a copy of what an earlier one left"),
      because: Because,
    },
  },
  "executor.refused": {
    sources: ["cli"],
    says: "The subject's container was to be started and refused, as the trial wants it to.",
    shape: {
      start: z.number().int().min(1).describe("number among the refused starts, from 1"),
      error: ErrorText.describe("what the harness was answered"),
      because: Because,
    },
  },
  "executor.paused": {
    sources: ["cli"],
    says: "The trial made an executor stand still, with all of its processes.",
    shape: { executor: Executor, pid: Pid, because: Because },
  },
  "executor.resumed": {
    sources: ["cli"],
    says: "An executor that stood still goes on. Nobody had ended it, although another one was started in its place.",
    shape: { executor: Executor, pid: Pid, because: Because },
  },
  "workspace.stored": {
    sources: ["cli"],
    says: "The harness asked for a snapshot of its container's file system.",
    shape: {
      executor: Executor,
      snapshot: OpaqueId.nullable().describe("the snapshot; null when none was taken"),
      error: ErrorText.nullable().describe("what the harness was answered instead; null when it was taken"),
      because: Because,
    },
  },
  "workspace.cleared": {
    sources: ["cli"],
    says: "Whatever runs the containers removed every snapshot of the trial's, as its owner asked.",
    shape: { snapshots: z.array(OpaqueId).describe("those that there were"), because: Because },
  },
  "executor.ended": {
    sources: ["cli"],
    says: "An executor ended with all of its processes, as the operating system told its parent.",
    shape: {
      executor: Executor,
      pid: Pid,
      exitCode: z.number().int().nullable().describe("exit code; null when a signal ended it"),
      signal: z.string().max(20).nullable().describe("signal that ended it; null for none"),
      cause: z
        .enum(["reset", "destroyed", "deleted", "by-itself", "cleared-away"])
        .describe(
          "who ended it: a reset of the trial, the harness, its owner past the harness, nobody; `cleared-away`: the run was over, which no journal says",
        ),
      because: Because,
    },
  },
  "reset.refused": {
    sources: ["controller", "cli"],
    says: "A reset could not be performed.",
    shape: {
      reset: ResetLevel,
      ordinal: ResetOrdinal,
      mechanism: Mechanism,
      error: ErrorText.describe("exact text of the refusal"),
    },
  },

  "canary.armed": {
    sources: ["controller"],
    says: "The alarm witness has set its alarm.",
    shape: {
      delayMs: Millis.describe("how long from then its alarm is due"),
      canaryAt: Millis.describe("when it is due, on the witness's clock"),
    },
  },
  "canary.not-offered": {
    sources: ["controller"],
    says: "There is no runtime whose alarms a witness could vouch for.",
    shape: { why: ShortText.describe("the subject's own word") },
  },
  "canary.fired": {
    sources: ["subject"],
    says: "The alarm of the alarm witness fired.",
    shape: {
      canaryAt: Millis.describe("when it fired, on the witness's clock"),
      lateMs: z.number().meta({ unit: "ms", description: "how long after it was due; negative when before" }),
      isolate: OpaqueId.describe("random id of the isolate it fired in"),
    },
  },

  "quiet.started": {
    sources: ["controller"],
    says: "From here on no client touches the object.",
    shape: { quietMs: Millis.describe("how long it is to last") },
  },
  "quiet.ended": {
    sources: ["controller"],
    says: "The quiet interval is over.",
    shape: {},
  },

  "reading.requested": {
    sources: ["controller"],
    says: "Whoever runs the trials is to read the object's storage from its files, which touches nothing. It answers with snapshots, of which that of the schema is the last, and says in them what it could not read.",
    shape: { when: WhenRead, because: Because },
  },

  "snapshot.log": {
    sources: ["controller", "cli"],
    says: "The session's own durable log, as it was read.",
    shape: {
      how: HowRead,
      when: WhenRead,
      session: Session,
      offered: z
        .boolean()
        .describe(
          "false when the subject says that it keeps no durable log, so that no events decides nothing",
        ),
      after: z.number().int().nullable().describe("cursor that the reading began after; null from the start"),
      events: z.array(LogEvent).max(5_000).describe("the events, in the order read"),
      synced: z
        .number()
        .int()
        .nullable()
        .describe("watermark of `log.synced`; null when the marker was not seen"),
      gaps: z
        .array(
          z.strictObject({
            from: z.number().int().describe("first number that is missing"),
            to: z.number().int().describe("last number that is missing"),
          }),
        )
        .describe("runs of numbers that no event has"),
      duplicates: z.array(z.number().int()).describe("numbers that more than one event has"),
      unreadable: Count.describe("events that could not be understood"),
      error: ReadError,
    },
  },
  "snapshot.schema": {
    sources: ["controller", "cli"],
    says: "Tables and indexes of the object's storage, as they were read.",
    shape: {
      how: HowRead,
      when: WhenRead,
      tables: z.array(TableObservation).max(1_000).describe("the tables"),
      indexes: z.array(IndexObservation).max(2_000).describe("the indexes"),
      undecodable: z
        .array(UndecodableRow)
        .max(100)
        .optional()
        .describe(
          "rows that the known layouts cannot decode; absent where they were not looked for, and in older traces",
        ),
      error: ReadError,
    },
  },
  "snapshot.transcript": {
    sources: ["controller", "cli"],
    says: "The session's messages, as they were read.",
    shape: {
      how: HowRead,
      when: WhenRead,
      session: Session,
      messages: z.array(MessageObservation).max(2_000).describe("the messages, in the session's order"),
      pending: z
        .array(
          z.strictObject({
            operationId: z.string().max(200).describe("id of the operation"),
            status: z.string().max(40).describe("its state, in the harness's own word"),
          }),
        )
        .describe("operations that the session lists as not ended"),
      via: Via.optional().describe("which of the harness's readings it is; absent for the only one"),
      error: ReadError,
    },
  },
  "snapshot.jobs": {
    sources: ["controller", "cli"],
    says: "Schedules, alarm and claims of the object, as they were read.",
    shape: {
      how: HowRead,
      when: WhenRead,
      jobs: z.array(JobObservation).max(1_000).describe("the jobs that are scheduled"),
      alarmAt: z.number().nullable().meta({
        unit: "ms",
        description: "when the object's alarm is set for, on the object's clock; null when none is set",
      }),
      claims: z.array(ClaimObservation).describe("who holds which session"),
      alarmUnknown: z
        .boolean()
        .describe("true when the alarm could not be read this way, so that `alarmAt: null` decides nothing"),
      notes: z
        .array(ErrorText)
        .max(100)
        .optional()
        .describe("what stands out in the reading and takes nothing from it; absent when nothing does"),
      error: ReadError,
    },
  },

  "trial.ended": {
    sources: ["controller", "cli"],
    says: "The trial is over; no record follows.",
    shape: {
      reason: z
        .enum([
          "completed",
          "point-not-reached",
          "reset-not-performed",
          "submit-failed",
          "cancelled",
          "error",
        ])
        .describe("how it ended; `completed` says nothing about the outcome"),
      detail: ErrorText.nullable().describe("more of it; null for nothing"),
      openAttempts: z
        .array(AttemptNumber)
        .describe("attempts without commit, rejection or deduplication at this moment"),
    },
  },
} as const satisfies Record<
  string,
  { sources: readonly Source[]; says: string; shape: z.core.$ZodLooseShape }
>;
