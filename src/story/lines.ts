/**
 * Each record type as a line that a person reads: in which lane it stands, what it says, and whether a reader needs it to
 * understand the trial. A new record type is an entry here, or this does not compile.
 *
 * Leaves to others: which records decide what (story.ts), how a line is laid out (terminal, page).
 */
import type { JournalRecord, RecordType } from "../trace/records.ts";

/** Who acts: what runs the trial, the model, the thing under test, the destination, whoever has its process in hand. */
export type Lane = "controller" | "model" | "subject" | "ledger" | "runner";

/** What a line stands for, for whoever paints it. */
export type Kind = "plain" | "loss" | "life" | "effect" | "no-effect" | "problem";

export type Line = {
  readonly lane: Lane;
  readonly text: string;
  readonly kind: Kind;
  /** Whether the trial can be understood without it. */
  readonly matters: boolean;
  /** The activation that acted, where the record names one. */
  readonly activation: string | null;
};

type Said = Partial<Omit<Line, "text">> & { readonly text: string };
type Lines = { readonly [T in RecordType]: (record: JournalRecord<T>) => Said };

const quoted = (text: string | null | undefined, max = 160) => {
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  if (line === "") return "nothing";
  return `“${line.length > max ? `${line.slice(0, max)}…` : line}”`;
};
const because = (text: string | null) => (text === null ? "" : `: ${text}`);
const keyed = (key: string | null) => (key === null ? "without key" : `key ${key}`);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const many = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

const UNCAUGHT_WHERE = {
  promise: "of a promise that nobody took",
  listener: "in a listener",
  "wait-until": "in the background",
  fetch: "in the object's own answer",
} as const satisfies Record<JournalRecord<"worker.exception">["where"], string>;

const HANDED_IN = {
  first: "handed in",
  again: "handed in again, same id",
  "at-once": "handed in once more at the same time, same id",
  "new-id": "handed in once more, as another operation",
} as const satisfies Record<JournalRecord<"operation.submitted">["purpose"], string>;

const OPERATOR_ACTS = {
  "open-session": "another owner's session id presented",
  "stop-executor": "the harness asked to stop its executor",
  "clear-snapshots": "snapshots to be cleared",
  "delete-executor": "executor to be deleted, past its object",
  "delete-session-record": "session record to be deleted",
} as const satisfies Record<JournalRecord<"operator.acted">["act"], string>;
const OPERATORS = {
  owner: "by the owner",
  "other-owner": "by another owner",
  nobody: "by nobody in particular",
} as const satisfies Record<JournalRecord<"operator.acted">["as"], string>;
const REFUSED_WAY = {
  fetch: "",
  websocket: "a WebSocket, ",
  socket: "a socket to ",
  "ai-binding": "through the AI binding, ",
} as const satisfies Record<JournalRecord<"request.refused">["way"], string>;

const REFUSED_WHY = {
  "no-rule": "no rule is for it",
  "no-action": "it has no action where its rule looks for one",
  "no-model-request": "its rule takes it for the model's, which it is not",
  "trial-ended": "the trial is over",
} as const satisfies Record<JournalRecord<"request.refused">["why"], string>;

const LINES: Lines = {
  "trial.started": ({ spec }) => ({ lane: "controller", text: `trial begins: ${spec.condition}` }),
  "phase.entered": ({ phase }) => ({ lane: "controller", text: `phase ${phase}`, matters: false }),
  "ledger.configured": ({ destination, holds }) => ({
    lane: "ledger",
    text: `destination '${destination}'${holds.length === 0 ? "" : `, holds ${holds.map(({ point, occurrence }) => `${point} ${occurrence}`).join(", ")}`}`,
    matters: false,
  }),
  "marker.written": ({ activation }) => ({
    lane: "subject",
    text: "durable marker written",
    matters: false,
    activation,
  }),
  "identity.read": ({ moment, executor, running, error, activation }) => ({
    lane: "controller",
    text:
      error === null
        ? `identity read (${moment}): ${executor === null ? "no executor" : `executor ${running === true ? "runs" : "does not run"}`}`
        : `identity could not be read (${moment}): ${error}`,
    kind: error === null ? "plain" : "problem",
    matters: error !== null,
    activation: activation ?? null,
  }),
  "operation.submitted": ({ purpose, accepted, error, activation }) => ({
    lane: "controller",
    text: `prompt ${HANDED_IN[purpose]} → ${error !== null ? `failed: ${error}` : accepted === true ? "accepted as new" : "known already"}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "operation.settled": ({ status, reason, text, claim, activation }) => ({
    lane: "controller",
    text:
      status === "done"
        ? `asked for the outcome → done, ${quoted(text)} (claims ${claim.claim})`
        : `asked for the outcome → unanswered${because(reason)}`,
    kind: status === "done" ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "operation.followed-up": ({ error, activation }) => ({
    lane: "controller",
    text: `asked in a further prompt to go on${error === null ? "" : ` → failed: ${error}`}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "probe.submitted": ({ accepted, error, activation }) => ({
    lane: "controller",
    text: `new work handed in → ${error !== null ? `failed: ${error}` : accepted === true ? "accepted" : "not accepted"}`,
    kind: error === null && accepted === true ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "probe.settled": ({ status, reason, activation }) => ({
    lane: "controller",
    text: status === "done" ? "new work answered" : `new work unanswered${because(reason)}`,
    kind: status === "done" ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "ahead.submitted": ({ accepted, error, activation }) => ({
    lane: "controller",
    text: `work for the prompt to wait behind → ${error !== null ? `failed: ${error}` : accepted === true ? "accepted" : "known already"}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "ahead.settled": ({ status, reason, text, activation }) => ({
    lane: "controller",
    text:
      status === "done"
        ? `work before it answered: ${quoted(text)}`
        : `work before it: no answer${because(reason)}`,
    kind: status === "done" ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "rival.submitted": ({ accepted, error, activation }) => ({
    lane: "controller",
    text: `a second client's work → ${error !== null ? `failed: ${error}` : accepted === true ? "accepted" : "known already"}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "rival.settled": ({ status, reason, text, activation }) => ({
    lane: "controller",
    text:
      status === "done"
        ? `second client answered: ${quoted(text)}`
        : `second client: no answer${because(reason)}`,
    kind: status === "done" ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "work.begun": ({ work, reference, error, activation }) => ({
    lane: "controller",
    text: `work ${work} → ${error === null ? `id ${reference}` : `failed: ${error}`}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "reference.used": ({ reference, work, error, activation }) => ({
    lane: "controller",
    text: `id ${reference} → ${work === null ? `rejected${because(error)}` : `work ${work}`}`,
    kind: "plain",
    activation: activation ?? null,
  }),
  "session.begun": ({ beginning, error, activation }) => ({
    lane: "controller",
    text: `${beginning === "new" ? "another session" : "session reset, a prompt"} → ${error === null ? "taken" : `failed: ${error}`}`,
    kind: error === null ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "session.settled": ({ status, reason, text, activation }) => ({
    lane: "controller",
    text: status === "done" ? `answered: ${quoted(text)}` : `no answer${because(reason)}`,
    kind: status === "done" ? "plain" : "problem",
    activation: activation ?? null,
  }),
  "job.recorded": ({ session, owner, status }) => ({
    lane: "controller",
    text: `job record: session ${session} of ${owner}, ${status}`,
  }),
  "operator.acted": ({ act, as, outcome, error }) => ({
    lane: "controller",
    text: `${OPERATOR_ACTS[act]}, ${OPERATORS[as]} → ${outcome}${because(error)}`,
    kind:
      outcome === "refused" ? "no-effect" : as === "owner" && act !== "open-session" ? "plain" : "problem",
  }),
  "stream.read": ({ pending, messages, end, error }) => ({
    lane: "controller",
    text:
      error === null
        ? `events followed again: ${pending === true ? "job under way" : "nothing under way"}, ${many(messages, "message")} of it${end === null ? "" : `, then ${end.status}${because(end.reason)}`}`
        : `events could not be followed again: ${error}`,
    kind: error === null ? "plain" : "problem",
  }),
  "wait.expired": ({ waitedFor, boundMs }) => ({
    lane: "controller",
    text: `stopped waiting for ${waitedFor} after ${seconds(boundMs)}`,
    kind: "problem",
  }),
  "client.reconnected": ({ ok, error, activation, requestsBefore }) => ({
    lane: "controller",
    text: ok
      ? `client is back${(requestsBefore ?? 0) > 0 ? `; ${many(requestsBefore ?? 0, "request")} of others had reached the object` : ""}`
      : `client came back → failed${because(error)}`,
    kind: ok ? "plain" : "problem",
    activation,
  }),
  "subject.activated": ({ activation, generation, cause, marker, late }) => ({
    lane: "subject",
    text: `activation ${generation}, by ${cause}, marker ${marker === null ? "not there" : "there"}${late ? ", reported late" : ""}`,
    kind: "life",
    activation,
  }),
  "activation.failed": ({ activation, cause, error }) => ({
    lane: "subject",
    text: `activation by ${cause} failed: ${error}`,
    kind: "problem",
    activation,
  }),
  "worker.exception": ({ activation, where, error, stack }) => ({
    lane: "subject",
    text: `uncaught exception ${UNCAUGHT_WHERE[where]}: ${quoted(error, 300)}${stack[0] === undefined ? "" : `, ${stack[0]}`}`,
    kind: "problem",
    activation,
  }),
  "host.opened": ({ activation, opening }) => ({
    lane: "subject",
    text: `host opened${opening === 1 ? "" : `, time ${opening}`}`,
    matters: opening > 1,
    kind: "life",
    activation,
  }),
  "host.closed": ({ activation }) => ({
    lane: "subject",
    text: "host closed by its harness",
    kind: "life",
    activation,
  }),
  "model.requested": ({ call, purpose, ordinal, messages, results, restartNotice, activation }) => ({
    lane: "model",
    text: [
      `request ${call}${purpose === "turn" ? "" : ` (${purpose} ${ordinal})`}, ${many(messages, "message")}`,
      ...results.map(
        ({ call: of, outcome, text }) => `${of} → ${outcome}${text === undefined ? "" : ` ${quoted(text)}`}`,
      ),
      ...(restartNotice ? ["told of a restart"] : []),
    ].join("; "),
    matters: purpose === "turn",
    activation,
  }),
  "model.answered": ({ call, purpose, finish, toolCalls, text }) => ({
    lane: "model",
    text:
      finish === "tool-calls"
        ? `answer ${call}: calls ${toolCalls.map(({ tool, call: id, key }) => `${tool} as ${id}, ${keyed(key)}`).join("; ")}`
        : `answer ${call}: ${quoted(text)}`,
    matters: purpose === "turn",
  }),
  "model.refused": ({ status, reason }) => ({
    lane: "model",
    text: `refused with ${status}: ${reason}`,
    kind: "problem",
  }),
  "attempt.received": ({ attempt, action, key, call, activation }) => ({
    lane: "ledger",
    text: `attempt ${attempt} at ${action}, ${keyed(key)}${call === null ? "" : `, call ${call}`}`,
    activation,
  }),
  "effect.committed": ({ effect, attempt }) => ({
    lane: "ledger",
    text: `EFFECT ${effect} by attempt ${attempt}`,
    kind: "effect",
  }),
  "effect.deduplicated": ({ attempt, effect }) => ({
    lane: "ledger",
    text: `attempt ${attempt} answered with effect ${effect}: no new one`,
    kind: "no-effect",
  }),
  "attempt.rejected": ({ attempt, reason }) => ({
    lane: "ledger",
    text: `attempt ${attempt} will never have an effect: ${reason}`,
    kind: "no-effect",
  }),
  "hold.reached": ({ hold, attempt, call }) => ({
    lane: "ledger",
    text: `point ${hold.point} reached${attempt !== null ? ` by attempt ${attempt}` : call !== null ? ` by request ${call}` : ""}: held`,
  }),
  "hold.released": ({ hold, why }) => ({
    lane: "ledger",
    text: `hold ${hold.point} ended by the ${why === "controller" ? "controller" : "trial's end"}`,
    matters: false,
  }),
  "receipt.withheld": ({ attempt }) => ({ lane: "ledger", text: `receipt of attempt ${attempt} withheld` }),
  "receipt.released": ({ attempt }) => ({ lane: "ledger", text: `receipt of attempt ${attempt} let go` }),
  "receipt.sent": ({ attempt }) => ({
    lane: "ledger",
    text: `receipt of attempt ${attempt} handed to the connection`,
    matters: false,
  }),
  "receipt.undeliverable": ({ attempt, detail }) => ({
    lane: "ledger",
    text: `receipt of attempt ${attempt} reaches nobody: ${detail}`,
  }),
  "entry.read": ({ action, key, found, activation }) => ({
    lane: "ledger",
    text: `look-up of ${action}, ${keyed(key)} → ${found ? "found" : "not found"}`,
    activation,
  }),
  "request.refused": ({ way, request, why, activation }) => ({
    lane: "subject",
    text: `refused to let out: ${REFUSED_WAY[way]}${request} (${REFUSED_WHY[why]})`,
    kind: "problem",
    activation,
  }),
  "reset.requested": ({ reset, ordinal }) => ({
    lane: "controller",
    text: `reset ${ordinal} asked for: ${reset}`,
    kind: "loss",
    matters: false,
  }),
  "reset.performed": ({ source, reset, ordinal, mechanism, process, write }) => ({
    lane: source === "cli" ? "runner" : "controller",
    text: `RESET ${ordinal}: ${reset} (${mechanism})${process === null ? "" : `, pid ${process.pid} → ${process.nextPid ?? "none"}, shared by ${many(process.trials, "trial")}`}${write === undefined ? "" : `, ${write.side} write ${write.number}: ${write.kind} ${write.table ?? ""}`.trimEnd()}`,
    kind: "loss",
  }),
  "reset.refused": ({ source, reset, error }) => ({
    lane: source === "cli" ? "runner" : "controller",
    text: `reset ${reset} refused: ${error}`,
    kind: "problem",
  }),
  "writes.numbered": ({ activation, writes }) => ({
    lane: "subject",
    text: `${many(writes.length, "numbered write")}, in ${many(new Set(writes.map(({ group }) => group)).size, "commit group")}`,
    matters: false,
    activation,
  }),
  "request.ended": ({ end, status, error }) => ({
    lane: "controller",
    text:
      end === "failed"
        ? `a client's open request was cut off: ${status === null ? "no answer" : `HTTP ${status}`}, ${quoted(error, 300)}`
        : end === "answered"
          ? "a client's open request was answered"
          : "a client's open request went on",
    matters: end === "failed",
  }),
  "process.ended": ({ pid, signal, exitCode, meant }) => ({
    lane: "runner",
    text: `process ${pid} ended, ${signal ?? `exit code ${exitCode}`}${meant ? "" : ", and nobody had ended it"}`,
    kind: meant ? "loss" : "problem",
  }),
  "process.started": ({ pid }) => ({
    lane: "runner",
    text: `process ${pid} listens`,
    kind: "life",
    matters: false,
  }),
  "state.read": ({ files, bytes }) => ({
    lane: "runner",
    text: `state folder: ${files} files, ${bytes} bytes`,
    matters: false,
  }),
  "agent.ended": ({ pid, signal, exitCode }) => ({
    lane: "runner",
    text: `the agent's process ${pid} ended by itself, ${signal ?? `exit code ${exitCode}`}`,
    kind: "life",
  }),
  "executor.started": ({ pid, from }) => ({
    lane: "runner",
    text: `executor ${pid} started from ${from === "image" ? "its image" : "a snapshot"}`,
    kind: "life",
  }),
  "executor.paused": ({ pid }) => ({ lane: "runner", text: `executor ${pid} stands still`, kind: "loss" }),
  "executor.resumed": ({ pid }) => ({
    lane: "runner",
    text: `executor ${pid} goes on: nobody could end it`,
    kind: "life",
  }),
  "workspace.stored": ({ error }) => ({
    lane: "runner",
    text: error === null ? "snapshot of the container taken" : `no snapshot of the container: ${error}`,
    kind: error === null ? "life" : "loss",
  }),
  "workspace.cleared": ({ snapshots }) => ({
    lane: "runner",
    text: `${many(snapshots.length, "snapshot")} of the container removed`,
    kind: "loss",
  }),
  "executor.refused": ({ start, error }) => ({
    lane: "runner",
    text: `start ${start} of an executor refused: ${error}`,
    kind: "loss",
  }),
  "executor.ended": ({ pid, signal, exitCode, cause }) => ({
    lane: "runner",
    text: `executor ${pid} ended, ${signal ?? `exit code ${exitCode}`}${cause === "by-itself" ? ", and nobody had ended it" : ""}`,
    kind: cause === "by-itself" ? "problem" : "loss",
  }),
  "canary.armed": ({ delayMs }) => ({
    lane: "subject",
    text: `alarm witness armed for ${seconds(delayMs)}`,
    matters: false,
  }),
  "canary.not-offered": ({ why }) => ({
    lane: "controller",
    text: `no alarm witness: ${why}`,
    matters: false,
  }),
  "canary.fired": ({ lateMs }) => ({
    lane: "subject",
    text: `alarm witness fired, ${Math.round(lateMs)} ms late`,
    matters: false,
  }),
  "quiet.started": ({ quietMs }) => ({
    lane: "controller",
    text: `quiet interval of ${seconds(quietMs)}: nothing touches the object`,
  }),
  "quiet.ended": () => ({ lane: "controller", text: "quiet interval over" }),
  "reading.requested": ({ when }) => ({
    lane: "controller",
    text: `reading of the files asked for (${when})`,
    matters: false,
  }),
  "snapshot.log": (record) => ({
    ...reader(record),
    text: `log read (${record.when}): ${record.offered ? `${many(record.events.length, "event")}, cursor ${record.synced ?? "none"}${record.gaps.length === 0 ? "" : `, ${many(record.gaps.length, "gap")}`}` : "none is kept"}${because(record.error)}`,
    kind: record.error === null ? "plain" : "problem",
    matters: record.error !== null,
  }),
  "snapshot.schema": (record) => ({
    ...reader(record),
    text: `schema read (${record.when}): ${many(record.tables.length, "table")}${because(record.error)}`,
    kind: record.error === null ? "plain" : "problem",
    matters: record.error !== null,
  }),
  "snapshot.transcript": (record) => ({
    ...reader(record),
    text: `transcript read (${record.when}): ${many(record.messages.length, "message")}, ${record.pending.length} pending${because(record.error)}`,
    kind: record.error === null ? "plain" : "problem",
    matters: record.error !== null,
  }),
  "snapshot.jobs": (record) => ({
    ...reader(record),
    text: `jobs read (${record.when}): ${many(record.jobs.length, "job")}, alarm ${record.alarmAt === null ? (record.alarmUnknown ? "not readable" : "not set") : "set"}${because(record.error)}`,
    kind: record.error === null ? "plain" : "problem",
    matters: record.when === "quiet" || record.error !== null,
  }),
  "trial.ended": ({ reason, detail, openAttempts }) => ({
    lane: "controller",
    text: `trial ends: ${reason}${because(detail)}${openAttempts.length === 0 ? "" : `, open attempts ${openAttempts.join(", ")}`}`,
    kind: reason === "completed" ? "plain" : "problem",
  }),
};

/** Through the object, or from its files. */
function reader({ how }: { readonly how: "object" | "offline" }): { readonly lane: Lane } {
  return { lane: how === "offline" ? "runner" : "controller" };
}

export function lineOf(record: JournalRecord): Line {
  const say: (one: never) => Said = LINES[record.type];
  const {
    lane = "controller",
    kind = "plain",
    matters = true,
    activation = null,
    text,
  } = say(record as never);
  return { lane, text, kind, matters, activation };
}
