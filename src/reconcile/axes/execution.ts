/**
 * Whether the interrupted execution went on. Only work that belongs to the operation counts: not the caller's own
 * resubmission to an object that forgot it, and not the later probe.
 */
import { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import { takesTurn } from "../../trace/resets.ts";
import type { CaseFile, ExecutorLoss, ResetStory } from "../case-file.ts";
import { executorIn, isAnswered, isIdle, lastExecutionEvent } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import {
  type Axis,
  type Counter,
  counted,
  expectedWord,
  SHARED_CODES,
  saidWord,
  wordColumn,
} from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  resumed: "The work went on after the loss, without being asked for again.",
  "settled-by-policy": "The work was ended by rule, without going on.",
  "not-resumed": "The work did not go on by itself.",
  "not-interrupted": "There was nothing to resume: no work was cut off.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value);
export type ExecutionAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  interrupted: "The session was interrupted on request.",
  "resumed-after-interrupt": "Work went on although the session had been interrupted on request.",
  "provider-refused": "The model's provider refused every request after the loss.",
  "only-by-later-prompt": "Only a later prompt set work off again.",
  "settled-before-reset": "The operation had settled before the reset.",
  "only-resubmitted": "Work went on only because the caller submitted the operation again.",
  "only-when-asked-again":
    "The session was idle with the work unfinished; it went on only after a client asked again.",
  "idle-unfinished": "The session was idle with the work unfinished, and stayed so.",
  "log-ends-execution": "The session log ends the execution by rule.",
  "no-new-work": "No new work on the operation followed the reset.",
  "execution-ended": "The execution was ended by rule, without going on.",
  "settled-without-work": "The operation settled after the reset without any new work.",
  "unanswered-without-end": "The operation was reported unanswered; the log shows no end of the execution.",
  "attempt-by-successor": "The new activation made a new attempt.",
  "look-up-by-successor": "The new activation looked the action up.",
  "model-asked-by-successor": "The new activation asked the model to go on.",
  "executor-refused":
    "The harness ended the operation without an answer, since its container could not be started.",
  "next-executor-went-on": "Another executor took the work up again.",
  "executor-lost":
    "The harness ended the operation without an answer: its executor was lost, or the next one could not go on.",
  "executor-went-on": "The executor went on, which the loss had left alone.",
} as const;

type Execution = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const execution = {
  name: "execution",
  asks: "Did the work go on after the loss?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: judgeExecution,
  said: saidWord,
  expected: { execution: expectedWord(Value) },
  columns: [wordColumn("execution")],
  counted: {
    /** Second answer: did the execution resume? Of the trials in which it had been interrupted. */
    execution: counted({
      schema: z.strictObject({ values: Tally, resumed: Rate }),
      of: (count: Counter<ExecutionAnswer>) => ({
        values: count.tally(({ value }) => value),
        resumed: count.rate(
          ({ value }) => value === "resumed",
          ({ value }) => value !== "unknown" && value !== "not-interrupted",
        ),
      }),
      asked: {
        question: "execution resumed?",
        answers: ({ values }) => values,
        usual: ["resumed", "not-interrupted"],
      },
      rates: { resumed: ({ resumed }) => resumed },
      figures: [{ title: "executions\nresumed", of: ({ resumed }) => resumed }],
    }),
  },
} as const satisfies Axis<ExecutionAnswer>;

const ENDED_BY_POLICY = ["session.execution.failed", "session.execution.interrupted"];

function judgeExecution(file: CaseFile): Execution {
  const { lastLoss, firstLoss, settled } = file;
  const last = lastExecutionEvent(file.collect.log);
  if (file.executorLoss !== null) return afterExecutorLoss(file, file.executorLoss);
  if (lastLoss === null || firstLoss === null) {
    // The control that aborts the session ends the execution without taking its host.
    const interrupt = file.resets.find(({ performed }) => takesTurn(performed.reset));
    const events = file.collect.log?.events ?? [];
    if (interrupt !== undefined && events.some(({ type }) => type === "session.execution.interrupted"))
      return answer("settled-by-policy", "interrupted", interrupt.performed, file.collect.log);
    return answer(
      "not-interrupted",
      "no-host-loss",
      file.resets.map(({ performed }) => performed),
      file.ended,
    );
  }
  const first = file.of("operation.settled").find((record) => isAnswered(record));
  const interrupted = interruptBefore(file, firstLoss.from);
  if (interrupted !== null) {
    const work = workAfter(file, lastLoss, Number.POSITIVE_INFINITY);
    return work === undefined
      ? answer("settled-by-policy", "interrupted", interrupted, firstLoss.performed, file.ended)
      : answer("resumed", "resumed-after-interrupt", interrupted, lastLoss.performed, work);
  }
  if (first !== undefined && first.seq < firstLoss.from)
    return answer("not-interrupted", "settled-before-reset", first, firstLoss.performed);

  const undelivered = file.resets.find(
    ({ hostLoss, successor, performed }) => hostLoss && successor === null && performed.process === null,
  );
  if (undelivered !== undefined) return answer("unknown", "reset-not-delivered", undelivered.performed);

  // An operation that settled between two resets was resumed, if at all, after the first of them.
  const loss = first !== undefined && first.seq < lastLoss.from ? firstLoss : lastLoss;
  const work = workAfter(file, loss);
  // A harness that says that nothing is under way leaves it to its client to set the work going again.
  const idle = file.of("operation.settled").find((record) => record.seq > loss.from && isIdle(record));
  const refused = refusalAfter(file, loss);
  if (refused.length > 0 && !answeredAfter(file, loss))
    return answer("not-resumed", "provider-refused", loss.performed, file.newest, refused);
  if (work !== undefined && (idle === undefined || work.seq < idle.seq))
    return answer("resumed", codeOf(work), loss.performed, file.newest, work);
  if (idle !== undefined && file.resubmitted === null)
    return work === undefined
      ? answer("not-resumed", "idle-unfinished", loss.performed, file.newest, idle)
      : answer("not-resumed", "only-when-asked-again", loss.performed, file.newest, idle, work);
  if (file.resubmitted !== null)
    return answer("not-resumed", "only-resubmitted", loss.performed, file.newest, file.resubmitted);
  // An agent may have asked its model and done nothing else.
  if (file.spec.agent !== undefined && !file.stopped)
    return answer("unknown", "model-unrecorded", loss.performed, file.newest, settled, file.ended);
  if (isAnswered(settled) && settled.seq > loss.from) return withoutWork(file, loss, settled);
  if (settled === null && last !== null && ENDED_BY_POLICY.includes(last.type) && file.probe === null)
    return answer("settled-by-policy", "log-ends-execution", loss.performed, file.collect.log);
  if (file.unrecorded.length > 0) return answer("unknown", "subject.activated", ...file.unrecorded);
  if (file.stopped) return answer("unknown", "trial-stopped", loss.performed, file.ended);
  const later = file.attempts.find(({ received }) => received.seq > file.probeFrom);
  if (later !== undefined && file.probe !== null)
    return answer("not-resumed", "only-by-later-prompt", loss.performed, file.probe, later.received);
  return answer("not-resumed", "no-new-work", loss.performed, file.newest, file.ended);
}

/** Where the executor was lost, alone or with its object, its successor alone can go on. */
function afterExecutorLoss(
  file: CaseFile,
  { from, performed, gone, refused, next }: ExecutorLoss,
): Execution {
  const first = file.of("operation.settled").find((record) => isAnswered(record));
  if (first !== undefined && first.seq < from)
    return answer("not-interrupted", "settled-before-reset", first, performed);
  if (gone === null) return answer("unknown", "reset-not-delivered", performed);
  const until = Math.min(file.probeFrom, file.resubmittedFrom);
  const work = file.records.find(
    (record) =>
      record.seq > gone.seq &&
      record.seq < until &&
      (record.type === "attempt.received" ||
        (record.type === "model.requested" && record.purpose === "turn")) &&
      record.executor !== gone.executor,
  );
  if (work !== undefined) return answer("resumed", "next-executor-went-on", performed, gone, next, work);
  if (first !== undefined && first.status !== "done")
    return refused.length > 0 && (next === null || next.seq > first.seq)
      ? answer("settled-by-policy", "executor-refused", performed, gone, refused, first)
      : answer("settled-by-policy", "executor-lost", performed, gone, first);
  if (first !== undefined) return answer("settled-by-policy", "settled-without-work", performed, gone, first);
  if (file.stopped) return answer("unknown", "trial-stopped", performed, file.ended);
  return answer("not-resumed", "no-new-work", performed, gone, file.ended);
}

/** Settled after the reset without going on: by a rule of the host, or by a subject that only says so. */
function withoutWork(
  file: CaseFile,
  loss: ResetStory,
  settled: JournalRecord<"operation.settled">,
): Execution {
  const events = file.collect.log?.events ?? [];
  const policy = events.some(({ type }) => ENDED_BY_POLICY.includes(type));
  if (policy)
    return answer("settled-by-policy", "execution-ended", loss.performed, settled, file.collect.log);
  if (settled.status === "done")
    return answer("settled-by-policy", "settled-without-work", loss.performed, settled);
  return file.collect.log?.offered === true
    ? answer("not-resumed", "unanswered-without-end", loss.performed, settled, file.collect.log)
    : answer("unknown", "log-not-offered", loss.performed, settled);
}

/** The interrupt of the session that was performed before, if one was. */
function interruptBefore(file: CaseFile, seq: number): JournalRecord<"reset.performed"> | null {
  return (
    file.resets.find(({ performed }) => takesTurn(performed.reset) && performed.seq < seq)?.performed ?? null
  );
}

/** Refusals of the model's provider after the loss, before any later prompt. */
function refusalAfter(file: CaseFile, { from }: ResetStory): readonly JournalRecord<"model.refused">[] {
  return file.of("model.refused").filter(({ seq }) => seq > from && seq < file.probeFrom);
}

/** Whether anything came of asking the model after the loss. */
function answeredAfter(file: CaseFile, { from }: ResetStory): boolean {
  return (
    file
      .of("model.answered")
      .some(({ seq, purpose }) => seq > from && seq < file.probeFrom && purpose === "turn") ||
    file.attempts.some(({ received }) => received.seq > from && received.seq < file.probeFrom)
  );
}

/** The first record of new work on the operation by an activation that came after the reset. */
function workAfter(
  file: CaseFile,
  loss: ResetStory,
  settledBy = isAnswered(file.settled) && file.settled.seq > loss.from ? file.settled.seq : file.probeFrom,
): JournalRecord | undefined {
  const owner = loss.owner?.activation;
  const fresh = new Set(
    file.activations
      .filter(({ activation, seq }) => activation !== owner && seq > loss.from)
      .map(({ activation }) => activation),
  );
  const successor = loss.successor?.seq ?? Number.POSITIVE_INFINITY;
  // What only a later prompt sets off is not the operation's. The probe's model call may be recorded before its
  // submission is: once the operation settled, no model call is its own.
  const probe = file.probeFrom;
  const over = Math.min(probe, settledBy);
  const intended = new Set(file.spec.intended.map(({ action }) => action));
  return file.records.find((record) => {
    if (record.seq <= loss.from || record.seq > file.resubmittedFrom || record.seq > probe) return false;
    if (record.type === "attempt.received" && record.executor !== undefined)
      return intended.has(record.action);
    if (record.type === "attempt.received")
      return record.activation !== null && fresh.has(record.activation) && intended.has(record.action);
    // Nothing else is seen of an agent whose requests to its model are not.
    if (record.type === "entry.read")
      return file.spec.agent !== undefined && record.activation !== null && fresh.has(record.activation);
    if (record.type !== "model.requested" || record.purpose !== "turn" || record.seq > over) return false;
    if (record.executor !== undefined) return true;
    if (record.activation !== null) return fresh.has(record.activation);
    // A request that does not name its activation belongs to the new one when it tells of the restart.
    return record.seq > successor && record.restartNotice;
  });
}

function codeOf(record: JournalRecord): keyof typeof CODES {
  if (executorIn(record) !== undefined) return "executor-went-on";
  if (record.type === "entry.read") return "look-up-by-successor";
  return record.type === "attempt.received" ? "attempt-by-successor" : "model-asked-by-successor";
}
