/**
 * Two questions about who: who did the work that ended the operation, and who answered the client. Each by the records
 * that name an activation; where none does, by who had reported itself last.
 *
 * Leaves to the axes what that activation had of the old one's state.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile, ExecutorLoss } from "./case-file.ts";
import { completionOf, isAnswered, isIdle } from "./case-file.ts";
import { readState, type StateCode } from "./state-kept.ts";

type Activated = JournalRecord<"subject.activated">;

/** An activation, and the record that shows it at work or answering. */
export type Who = { readonly activation: Activated | null; readonly by: JournalRecord };

/** Who completed the operation; null when nobody did. */
export function workerOf(file: CaseFile): Who | null {
  const completion = completionOf(file);
  if (completion === null) return null;
  const by = completingWork(file, completion);
  // Ended by a rule: nobody's work shows who ended it, so it is whoever had taken over, or had reported itself last.
  if (by === null) {
    const activation = file.lastLoss?.successor ?? reportedBefore(file, completion.seq);
    return { activation: activation?.late === true ? file.newest : activation, by: completion };
  }
  const id = "activation" in by && by.type !== "operation.settled" ? by.activation : null;
  return { activation: id == null ? reportedBefore(file, by.seq) : reported(file, id), by };
}

/** The model's last answer to the operation, as the request that it answers; else the last work on it. */
function completingWork(file: CaseFile, completion: JournalRecord): JournalRecord | null {
  const answer = lastAnswerBefore(file, completion.seq);
  if (answer !== null && isDone(completion)) return file.turns.get(answer.call) ?? null;
  const loss = file.lastLoss?.from ?? 0;
  return (
    file.records.findLast(
      (record) =>
        // What was done before the loss did not end what ended after it.
        (record.seq > loss || completion.seq < loss) &&
        record.seq < Math.min(completion.seq, file.probeFrom) &&
        (record.type === "attempt.received" ||
          (record.type === "model.requested" && record.purpose === "turn")),
    ) ?? null
  );
}

/** The model's last answer that ended a turn of the operation, before `seq`. */
export function lastAnswerBefore(file: CaseFile, seq: number): JournalRecord<"model.answered"> | null {
  const { lastAnswer } = file;
  if (lastAnswer === null || lastAnswer.seq < seq) return lastAnswer;
  return (
    file
      .of("model.answered")
      .findLast((one) => one.seq < seq && one.finish === "stop" && file.turns.has(one.call)) ?? null
  );
}

function isDone(completion: JournalRecord): boolean {
  return completion.type !== "operation.settled" || completion.status === "done";
}

/** The first request of the operation's own turn after the first loss that is not the old owner's; null without one. */
export function askedAfterLoss(file: CaseFile): JournalRecord<"model.requested"> | null {
  const { firstLoss, executorLoss } = file;
  if (executorLoss !== null) return askedByNextExecutor(file, executorLoss);
  if (firstLoss === null) return null;
  for (const request of file.turns.values())
    if (
      request.seq > firstLoss.from &&
      (request.executor !== undefined || request.activation !== firstLoss.owner?.activation)
    )
      return request;
  return null;
}

/**
 * The first request of another executor than the lost one. Where the harness ended the operation, it is a later prompt's: an
 * agent that goes on with its thread shows it all the same.
 */
function askedByNextExecutor(
  file: CaseFile,
  { from, gone }: ExecutorLoss,
): JournalRecord<"model.requested"> | null {
  return (
    file
      .of("model.requested")
      .find(
        ({ seq, purpose, executor }) =>
          seq > from && seq < file.probeUntil && purpose === "turn" && executor !== gone?.executor,
      ) ?? null
  );
}

/** Who answered the client's next request: after the last loss, or, where nothing was lost, at all. */
export function responderOf(file: CaseFile): Who | null {
  const from = file.lastLoss?.performed.seq ?? file.workLoss?.performed.seq ?? file.submitted?.seq ?? 0;
  const by = file.records.find((record) => record.seq > from && isAnswer(record));
  if (by === undefined) return null;
  const id = "activation" in by ? by.activation : null;
  return { activation: id == null ? reportedBefore(file, by.seq) : reported(file, id), by };
}

/** A record of a client's request that the subject answered. */
function isAnswer(record: JournalRecord): boolean {
  switch (record.type) {
    case "client.reconnected":
      return record.ok;
    case "operation.submitted":
    case "probe.submitted":
      return record.accepted !== null;
    case "operation.settled":
    case "probe.settled":
      return true;
    default:
      return false;
  }
}

/** Why nobody completed the operation. */
export function whyNobody(
  file: CaseFile,
): readonly ["failed" | "timed-out" | "pending", JournalRecord | null] {
  const { settled } = file;
  if (settled !== null && !isAnswered(settled)) return [isIdle(settled) ? "pending" : "failed", settled];
  const expired = file.of("wait.expired").findLast(({ waitedFor }) => waitedFor.startsWith("operation "));
  return expired === undefined ? ["pending", file.ended] : ["timed-out", expired];
}

/** What an activation is to the first one, by what it had of the state. */
export function relationOf(
  file: CaseFile,
  who: Activated,
): readonly [
  "same" | "replacement-with-state" | "replacement-without-state" | "indistinguishable",
  StateCode | "one-activation",
  readonly { readonly seq: number }[],
] {
  const [first] = file.activations.filter(({ late }) => !late);
  if (first === undefined || who.activation === first.activation) return ["same", "one-activation", []];
  const { value, code, records } = readState(file, who);
  if (value === "kept") return ["replacement-with-state", code, records];
  if (value === "gone") return ["replacement-without-state", code, records];
  return ["indistinguishable", code, records];
}

function reported(file: CaseFile, id: string): Activated | null {
  return file.activations.find(({ activation }) => activation === id) ?? null;
}

function reportedBefore(file: CaseFile, seq: number): Activated | null {
  return file.activations.findLast((one) => !one.late && one.seq < seq) ?? null;
}
