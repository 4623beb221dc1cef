/**
 * One sentence for each code, composed from the finding's facts. Kept apart from judging, so that a verdict holds
 * codes and numbers only and wording can change without changing a verdict.
 */
import type { Finding } from "../trace/verdict.ts";

type Facts = Finding["facts"];
type Sentence = string | ((facts: Facts) => string);

/** Reasons why a trial is invalid, and findings beside the axes. */
const FINDINGS: Record<string, Sentence> = {
  "empty-file": "The trace file has no line.",
  "header-unreadable": (f) => `The trace has no readable header: ${f.detail}.`,
  "header-contradicts-journal": (f) => `The header contradicts the journal: ${f.detail}.`,
  "line-unreadable": (f) => `Line ${f.line} cannot be read: ${f.detail}.`,
  "record-invalid": (f) => `The record on line ${f.line} is not one of the journal's: ${f.detail}.`,
  "chain-broken": (f) => `The hash chain breaks at line ${f.line}: ${f.detail}.`,
  "seq-broken": (f) => `The sequence breaks at line ${f.line}: ${f.detail}.`,
  "tail-missing": (f) => `The file does not end where its header says: ${f.detail}.`,
  "too-large": (f) => `The trace is too large to be read: ${f.detail}.`,
  "no-records": "The trace has no records.",
  "start-missing": "The journal does not begin with trial.started.",
  "started-twice": (f) => `The trial was started ${f.times} times.`,
  "end-missing": "The journal stops without trial.ended, so it is not known what came after.",
  "ended-twice": (f) => `The trial was ended ${f.times} times.`,
  "records-after-end": (f) => `${f.records} records follow the end of the trial.`,
  "submit-failed": (f) => `The operation could not be submitted${because(f.detail)}.`,
  cancelled: (f) => `The trial was cancelled${because(f.detail)}.`,
  error: (f) => `The trial ended with an error of the kit${because(f.detail)}.`,
  "point-not-reached": (f) =>
    `The trial's point${f.point === undefined ? "" : ` ${f.point}`} was not reached${because(f.detail)}.`,
  "point-contradicted": (f) =>
    `The point ${f.point} is said to have been reached, but the records before it say otherwise.`,
  "reset-refused": (f) => `The reset ${f.reset} was refused: ${f.error}.`,
  "reset-not-performed": (f) =>
    f.wanted === undefined
      ? `The reset was not performed${because(f.detail)}.`
      : `${f.wanted} resets (${f.reset}) were to be performed, ${f.performed} were.`,
  "reset-unplanned": (f) =>
    `The spec asks for ${f.wanted} resets (${f.reset}); ${f.performed} were performed or of another kind.`,
  "reset-books-broken": (f) => `Reset ${f.ordinal} has no request or is out of order.`,
  "reset-not-delivered": (f) =>
    f.reset === undefined
      ? "The reset cannot be shown to have taken the host away."
      : `Reset ${f.ordinal} (${f.reset}) cannot be shown to have taken the host away: ${f.detail}.`,
  "ledger-not-configured": "There is no record of the ledger's configuration.",
  "ledger-contradicts-spec": (f) =>
    `The spec asks for the destination ${f.spec}, the ledger was ${f.ledger}.`,
  "marker-not-written": "The durable marker was not written, so kept storage cannot be told from new.",
  "marker-contradicts-spec": (f) => `The marker written (${f.written}) is not the trial's.`,
  "marker-written-late": "The durable marker was written after the reset.",
  "activation-missing": "No activation of the subject was recorded.",
  "host-mismatch": (f) => `The spec asks for the host ${f.asked}; the subject ran ${f.ran}.`,
  "submission-missing": "The operation's submission was not recorded.",
  "outcome-missing": "A client asked for the outcome; neither an outcome nor an expired wait was recorded.",
  "settle-window-missing": "Nothing shows that effects were still counted after the outcome.",
  "log-missing": "The session log was not read at the end.",
  "log-unreadable": (f) => `The session log could not be read at the end: ${f.error}.`,
  "log-contradicts-itself": "A log was read earlier that the subject says it does not keep.",
  "log-not-whole": (f) => `The last read of the session log began after ${f.after}, not at its start.`,
  "log-unsynced": "The last read of the session log did not reach the synced marker.",
  "recorder-gap": (f) => `The last read of the session log lacks events ${f.from} to ${f.to}.`,
  "recorder-gap-repaired": (f) =>
    `An earlier read of the session log lacked events ${f.from} to ${f.to}; the read at the end has them.`,
  "canary-not-armed": "The runtime's canary was not armed.",
  "canary-missing": (f) =>
    `No canary vouches for the runtime, and it is not shown that no alarm was owed: ${f.why}.`,
  "canary-silent": "The canary's alarm never fired: the runtime did not keep its own promise.",
  "ledger-books-broken": (f) => `The ledger's records contradict each other (${listing(f)}).`,
  "model-books-broken": (f) => `The model's records contradict each other (${listing(f)}).`,
  "law-breached": (f) =>
    `The law is breached: ${f.acknowledged} acknowledged, ${f.committed} committed, ${f.received} received. The kit is wrong.`,
  "checker-failed": (f) => `The check ${f.checker ?? "of this axis"} failed${because(f.detail)}.`,
  "observation-missing": (f) => `The executor cannot be told: ${f.missing} is missing or decides nothing.`,
  "marker-gone": "The durable marker is gone.",
  "known-operation-accepted-as-new": "The known operation id was accepted as new work.",
  "log-differs-from-look": (f) =>
    `Since the look before the reset, ${f.missing} events of the session log are missing and ${f.changed} are others.`,
  "read-failed": (f) => `The read ${f.what} (${f.when}) failed: ${f.error}.`,
  "wait-expired": (f) => `The wait for ${f.waitedFor} ran out after ${f.boundMs} ms.`,
  "quiet-too-short": (f) => `The quiet interval lasted ${f.keptMs} ms of ${f.quietMs} ms.`,
  "settle-too-short": (f) => `The settle window lasted ${f.keptMs} ms of ${f.settleMs} ms.`,
  "activation-unrecorded": (f) => `Activation ${f.activation} acted, but never reported itself.`,
  "activations-unplanned": (f) =>
    `The object was activated anew ${f.activations} times in the middle of work, which no reset explains.`,
  "isolate-lost-too": "The reset was to end the object only; its isolate ended too.",
  "claimed-receipt-unknown": (f) =>
    `The final text names a receipt that the ledger never gave: ${f.receipt}.`,
  "attempt-not-asked": (f) => `No recorded model answer asked for call ${f.call} of attempt ${f.attempt}.`,
  "repeat-invisible-in-log": (f) =>
    `Attempt ${f.attempt} repeats a call under its own id (${f.cause}): a session log cannot show it.`,
  "probe-usage-mixed":
    "The probe's model calls could not be told from the operation's and are counted with them.",
};

/** Codes of axes: why the value is what it is. */
const AXES: Record<string, Sentence> = {
  "subject.activated": "An activation did not report itself.",
  "marker.written": "The marker was not written before the activation in question.",
  "operation.submitted again":
    "The operation was not submitted again, so it is not known whether it is known.",
  "marker-of-another": "The marker that was read is not the one that was written.",
  "object-of-another": "The activation reports another object id.",
  "generation-restarted": "The durable generation counter began anew.",
  "marker-kept": "The marker and the generation counter went on.",
  "resubmission-not-tried": "The marker is there; the operation was not submitted again.",
  "trial-stopped": "The trial stopped before this could be decided.",
  "not-completed": "Nobody completed the operation.",
  "one-activation": "One activation did it all.",
  "old-activation-at-work": "The activation of before the reset was still at work after it.",
  "marker-gone-but-log-continues": "The marker is gone although the session log goes on.",
  "not-read-offline": "Nobody came back, and the storage was not read without the object.",
  "read-offline": "Nobody came back; the session lies whole in storage.",
  "log-empty": "The session log is empty.",
  "log-not-read": "The session log was not read at the end.",
  "schema-not-read": "The schema was not read at the end.",
  "transcript-not-read": "The transcript was not read at the end.",
  "look-missing": "The look before the reset left no read of the log to compare with.",
  "table-unreadable": "A table could not be read.",
  "log-incomplete": "The last read of the session log is not whole.",
  "events-unreadable": "Some events of the session log could not be read.",
  "events-doubled": "Some events of the session log appear twice.",
  "events-changed": "Some events of the session log are not the ones seen before the reset.",
  "events-missing": "Some events of the session log that were seen before the reset are gone.",
  "log-restarted": "Nothing seen before the reset is left in the session log.",
  "never-away": "The session was there all the time and reads clean.",
  "marker-and-log": "The marker is there, and log, schema and transcript read clean.",
  "operation-known": "The subject keeps no log; it still knew the operation.",
  "transcript-kept": "The subject keeps no log; its messages are there.",
  "log-not-offered": "The subject keeps no log, and nothing else shows that the session is there.",
  interrupted: "The session was interrupted on request.",
  "no-host-loss": "No host was lost.",
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
  "model-asked-by-successor": "The new activation asked the model to go on.",
  "nothing-owed": "No work was owed.",
  "started-by-kit": "The subject is a process: only the kit can start it, so it was not tried alone.",
  "alarm-before-client": "An alarm woke the object before any client came.",
  "client-came-at-once": "The client came back at once, so waking alone was not tried.",
  "quiet-not-recorded": "The quiet interval was not recorded.",
  "quiet-disturbed": "The object was touched during the quiet interval.",
  "never-woke": "The object did not wake.",
  "client-came-first": "The object woke only when a client could have asked for it.",
  "woken-by-unrecorded-request": "A request that nobody recorded woke the object.",
  "woke-in-quiet": "The object woke during the quiet interval.",
  "jobs-not-read": "The jobs were not read at the end.",
  "work-live": "Work was still under way at the end.",
  "work-scheduled": "An alarm was set for what was owed.",
  "alarm-not-readable": "The alarm could not be read this way.",
  "job-without-alarm": "A job row waits without an alarm.",
  "job-running-without-alarm": "A job is marked as running without an alarm.",
  "nothing-scheduled": "Work is owed, and neither a job nor an alarm exists.",
  "claim-held-job-without-alarm": "The session is still claimed; a job row waits without an alarm.",
  "claim-held-job-running-without-alarm":
    "The session is still claimed; a job is marked as running without an alarm.",
  "claim-held-nothing-scheduled": "The session is still claimed, and neither a job nor an alarm exists.",
  "two-owners": "An activation that had been replaced went on acting.",
  "canary-fired-before-reset": "The canary fired before the reset, so it does not clear the runtime.",
  "call-replayed": "The call was made again without asking the model.",
  "tool-retried": "The tool itself tried again.",
  "call-recorded-failed-though-committed": "A call was recorded as failed although its effect was committed.",
  "call-forgotten": "A call took effect, and the session's own record does not have it.",
  "call-recorded-succeeded-without-effect": "A call was recorded as succeeded without an effect.",
  "claim-without-effect": "Success was claimed and there is no effect.",
  "repeat-asked-for": "The action was asked for again.",
  "no-definite-claim": "The final answer does not say what happened.",
  "outcome-open": "The outcome is open and no party can be named.",
  "no-deviation": "Nothing deviates.",
};

/** The sentence for a finding or a validity reason. */
export function explain(finding: Pick<Finding, "code" | "facts">): string {
  return explainCode(finding.code, finding.facts);
}

/** The sentence for any code, of a finding or of an axis; an unknown code is shown with its facts. */
export function explainCode(code: string, facts: Facts = {}): string {
  const sentence = FINDINGS[code] ?? AXES[code];
  if (typeof sentence === "string") return sentence;
  if (sentence !== undefined) return sentence(facts);
  const details = listing(facts);
  return details === "" ? `${code}.` : `${code} (${details}).`;
}

/** Whether there is a sentence for `code`. */
export function isExplained(code: string): boolean {
  return code in FINDINGS || code in AXES;
}

function listing(facts: Facts): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${value ?? "none"}`)
    .join(", ");
}

function because(detail: Facts[string] | undefined): string {
  return detail === undefined || detail === null || detail === "" ? "" : `: ${detail}`;
}
