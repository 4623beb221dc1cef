/**
 * Every finding's code with the facts that its sentence needs, and the sentence. A closed table: a check that writes an
 * unknown code, or leaves out a fact, does not compile. Verdicts store codes and facts alone, so wording may change
 * without changing a verdict.
 *
 * Codes that say why an axis has its value stand with the axis (`axes/`).
 */

/** Facts of what is wrong with the file; line 0 is the whole file. */
type InFile = { line: number; detail: string };
type Detailed = { detail: string | null };
/** What contradicts what in the books of the ledger or the model. */
type Breach = { what: string; [fact: string]: string | number | null };

export const FINDING_CODES = {
  "empty-file": (_: InFile) => "The trace file has no line.",
  "header-unreadable": (f: InFile) => `The trace has no readable header: ${f.detail}.`,
  "header-contradicts-journal": (f: InFile) => `The header contradicts the journal: ${f.detail}.`,
  "line-unreadable": (f: InFile) => `Line ${f.line} cannot be read: ${f.detail}.`,
  "record-invalid": (f: InFile) => `The record on line ${f.line} is not one of the journal's: ${f.detail}.`,
  "chain-broken": (f: InFile) => `The hash chain breaks at line ${f.line}: ${f.detail}.`,
  "seq-broken": (f: InFile) => `The sequence breaks at line ${f.line}: ${f.detail}.`,
  "tail-missing": (f: InFile) => `The file does not end where its header says: ${f.detail}.`,
  "line-unended": (f: InFile) => `The file has no proper end at line ${f.line}: ${f.detail}.`,
  "given-up": (f: InFile) => `Reading was given up at line ${f.line}: ${f.detail}.`,
  "too-large": (f: InFile) => `The trace is too large to be read: ${f.detail}.`,
  "no-records": "The trace has no records.",
  "start-missing": "The journal does not begin with trial.started.",
  "started-twice": (f: { times: number }) => `The trial was started ${f.times} times.`,
  "end-missing": "The journal stops without trial.ended, so it is not known what came after.",
  "ended-twice": (f: { times: number }) => `The trial was ended ${f.times} times.`,
  "records-after-end": (f: { records: number }) => `${f.records} records follow the end of the trial.`,
  "submit-failed": (f: Detailed) => `The operation could not be submitted${because(f.detail)}.`,
  cancelled: (f: Detailed) => `The trial was cancelled${because(f.detail)}.`,
  error: (f: Detailed) => `The trial ended with an error of the kit${because(f.detail)}.`,
  "point-not-reached": (f: { point?: string; detail: string | null }) =>
    `The trial's point${f.point === undefined ? "" : ` ${f.point}`} was not reached${because(f.detail)}.`,
  "point-contradicted": (f: { point: string; attempt: number | null; call: number | null }) =>
    `The point ${f.point} is said to have been reached, but the records before it say otherwise.`,
  "write-not-reached": (f: { number: number; side: string }) =>
    `The object did not say that it ended ${f.side} its write ${f.number}.`,
  "write-not-the-one": (f: { number: number; side: string; was: number; on: string }) =>
    `The object was to end ${f.side} its write ${f.number} and ended ${f.on} its write ${f.was}.`,
  "write-passed": (f: { number: number; side: string; last: number }) =>
    `The object was to end ${f.side} its write ${f.number}, and its write ${f.last} was under way when it ended.`,
  "reset-refused": (f: { reset: string; error: string }) => `The reset ${f.reset} was refused: ${f.error}.`,
  "reset-not-performed": (f: Detailed | { reset: string; wanted: number; performed: number }) =>
    !("wanted" in f)
      ? `The reset was not performed${because(f.detail)}.`
      : `${f.wanted} resets (${f.reset}) were to be performed, ${f.performed} were.`,
  "reset-unplanned": (f: { reset: string; wanted: number; performed: number }) =>
    `The spec asks for ${f.wanted} resets (${f.reset}); ${f.performed} were performed or of another kind.`,
  "reset-books-broken": (f: { ordinal: number }) => `Reset ${f.ordinal} has no request or is out of order.`,
  "reset-not-delivered": (f: { reset: string; ordinal: number; detail: string }) =>
    `Reset ${f.ordinal} (${f.reset}) cannot be shown to have taken the host away: ${f.detail}.`,
  "process-died": (f: { pid: number; signal: string | null; exitCode: number | null }) =>
    `The subject's process ${f.pid} ended by itself (${f.signal ?? `exit code ${f.exitCode}`}): a loss that the trial did not ask for.`,
  "executor-not-lost": (f: { reset: string; detail: string }) =>
    `The reset (${f.reset}) cannot be shown to have taken the executor away: ${f.detail}.`,
  "executor-lost-late": (f: { point: string; afterMs: number; syncMs: number }) =>
    `The executor was lost at '${f.point}', ${f.afterMs} ms after its turn began: its files are stored every ${f.syncMs} ms, so nobody can say whether they were lost with it.`,
  "executor-died": (f: { pid: number; signal: string | null; exitCode: number | null }) =>
    `The executor ${f.pid} ended by itself (${f.signal ?? `exit code ${f.exitCode}`}): a loss that the trial did not ask for.`,
  "executor-missing": "The subject works in a container, and no executor is recorded to have started in it.",
  "ledger-not-configured": "There is no record of the ledger's configuration.",
  "ledger-contradicts-spec": (f: { spec: string; ledger: string }) =>
    `The spec asks for the destination ${f.spec}, the ledger was ${f.ledger}.`,
  "marker-not-written": "The durable marker was not written, so kept storage cannot be told from new.",
  "marker-contradicts-spec": (f: { written: string }) =>
    `The marker written (${f.written}) is not the trial's.`,
  "marker-written-late": "The durable marker was written after the reset.",
  "activation-missing": "No activation of the subject was recorded.",
  "host-mismatch": (f: { asked: string; ran: string | null }) =>
    `The spec asks for the host ${f.asked}; the subject ran ${f.ran}.`,
  "host-contradicted": (f: { announced: string; asked: string }) =>
    `The run was started with the host ${f.announced}; the trial asks for ${f.asked}.`,
  "submission-missing": "The operation's submission was not recorded.",
  "outcome-missing": "A client asked for the outcome; neither an outcome nor an expired wait was recorded.",
  "settle-window-missing": "Nothing shows that effects were still counted after the outcome.",
  "log-missing": "The session log was not read at the end.",
  "log-unreadable": (f: { error: string }) => `The session log could not be read at the end: ${f.error}.`,
  "log-contradicts-itself": "A log was read earlier that the subject says it does not keep.",
  "log-not-whole": (f: { after: number }) =>
    `The last read of the session log began after ${f.after}, not at its start.`,
  "log-unsynced": "The last read of the session log did not reach the synced marker.",
  "recorder-gap": (f: { from: number; to: number; gaps: number }) =>
    `The last read of the session log lacks events ${f.from} to ${f.to}.`,
  "recorder-gap-repaired": (f: { from: number; to: number }) =>
    `An earlier read of the session log lacked events ${f.from} to ${f.to}; the read at the end has them.`,
  "canary-not-armed": "The alarm witness was not armed.",
  "canary-missing": (f: { why: string }) =>
    `No alarm witness vouches for the runtime, and it is not shown that no alarm was owed: ${f.why}.`,
  "canary-silent": (_: { delayMs: number }) =>
    "The alarm witness never fired: the runtime did not keep its own promise.",
  "ledger-books-broken": (f: Breach) => `The ledger's records contradict each other (${listing(f)}).`,
  "model-books-broken": (f: Breach) => `The model's records contradict each other (${listing(f)}).`,
  "law-breached": (f: { acknowledged: number; committed: number; received: number }) =>
    `The law is breached: ${f.acknowledged} acknowledged, ${f.committed} committed, ${f.received} received. The kit is wrong.`,
  "checker-failed": (f: { checker: string; detail: string }) =>
    `The check ${f.checker} failed${because(f.detail)}.`,
  "observation-missing": (f: { missing: string }) =>
    `The executor cannot be told: ${f.missing} is missing or decides nothing.`,
  "executor-starts-refused": (f: { attempts: number; afterS: string }) =>
    `The container refused ${f.attempts} starts after the executor was lost, at ${f.afterS} s.`,
  "marker-gone": (_: { marker: string }) => "The durable marker is gone.",
  "known-operation-accepted-as-new": (_: { operationId: string }) =>
    "The known operation id was accepted as new work.",
  "log-differs-from-look": (f: { missing: number; changed: number }) =>
    `Since the look before the reset, ${f.missing} events of the session log are missing and ${f.changed} are others.`,
  "read-failed": (f: { what: string; when: string; error: string }) =>
    `The read ${f.what} (${f.when}) failed: ${f.error}.`,
  "wait-expired": (f: { waitedFor: string; boundMs: number }) =>
    `The wait for ${f.waitedFor} ran out after ${f.boundMs} ms.`,
  "quiet-too-short": (f: { keptMs: number; quietMs: number }) =>
    `The quiet interval lasted ${f.keptMs} ms of ${f.quietMs} ms.`,
  "settle-too-short": (f: { keptMs: number; settleMs: number }) =>
    `The settle window lasted ${f.keptMs} ms of ${f.settleMs} ms.`,
  "activation-unrecorded": (f: { activation: string }) =>
    `Activation ${f.activation} acted, but never reported itself.`,
  "activations-unseen": (f: { from: number; to: number; unseen: number }) =>
    `The generation goes from ${f.from} to ${f.to}: ${f.unseen} activations left no record.`,
  "session-moved": (f: { from: string; to: string; type: string }) =>
    `Work (${f.type}) stands in session ${f.to}; the session that was read at the end is ${f.from}.`,
  "schema-differs": (f: { gone: string; changed: string; added: string }) =>
    `Since the look before the reset the schema is another: tables gone ${f.gone}, changed ${f.changed}, added ${f.added}.`,
  "readings-differ": (f: { history: number; messages: number; differ: string }) =>
    `history() gives ${f.history} messages and messages() ${f.messages}; they differ in ${f.differ}.`,
  "log-read-on-differs": (f: { missing: number; reordered: number }) =>
    `The log read on from the cursor of before the reset has ${f.missing} events that the whole log lacks, and ${f.reordered} others under their numbers.`,
  "operation-still-pending": (f: { operationId: string; status: string }) =>
    `The session still lists the operation ${f.operationId} as ${f.status} at the end.`,
  "entry-read-stale": (f: { action: string; effect: string }) =>
    `A look-up of ${f.action} found nothing after its effect ${f.effect} had been committed.`,
  "payload-conflict": (f: { key: string; attempt: number; earlier: number }) =>
    `Conflict: attempts ${f.earlier} and ${f.attempt} have the same key (${f.key}) and different payloads.`,
  "key-conflict": (f: { attempt: number; effect: string; key: string; effectKey: string }) =>
    `Conflict: attempt ${f.attempt} with key ${f.key} was answered with effect ${f.effect} of key ${f.effectKey}.`,
  "claim-contradicts-answer": (f: { claimed: string; answered: string }) =>
    `The recorded outcome claims ${f.claimed}; the model's last answer says ${f.answered}.`,
  "model-refused": (f: { requests: number; status: number; reason: string }) =>
    `The model's provider refused ${f.requests} requests after the loss (${f.status}: ${f.reason}).`,
  "activation-failed": (f: { activations: number; error: string }) =>
    `${f.activations} activations failed, the last with: ${f.error}.`,
  "schema-unreadable": (f: { what: string; error: string }) =>
    `New activations cannot read the schema of their storage (${f.what}): ${f.error}.`,
  "store-unreadable": (f: { what: string; error: string }) =>
    `New activations cannot read their storage (${f.what}): ${f.error}.`,
  "log-cursor-aliased": (f: { cursor: number; seq: number; was: string; is: string }) =>
    `A client's cursor ${f.cursor} of before the reset points into other events: number ${f.seq} was ${f.was} and is ${f.is}.`,
  "canary-late": (f: { lateMs: number }) =>
    `The alarm witness fired ${f.lateMs} ms late: the runtime's alarms are in doubt.`,
  "canary-elsewhere": (f: { isolate: string }) =>
    `The alarm witness fired in isolate ${f.isolate}, where the subject is not: it does not vouch for the subject's alarms.`,
  "canary-fired-before-reset":
    "The alarm witness fired before the reset only: it does not vouch for alarms of after it.",
  "activations-unplanned": (f: { activations: number }) =>
    `The object was activated anew ${f.activations === 1 ? "once" : `${f.activations} times`} in the middle of work, which no reset explains.`,
  "isolate-lost-too": "The reset was to end the object only; its isolate ended too.",
  "claimed-receipt-unknown": (f: { receipt: string }) =>
    `The final text names a receipt that the ledger never gave: ${f.receipt}.`,
  "attempt-not-asked": (f: { attempt: number; call: string }) =>
    `No recorded model answer asked for call ${f.call} of attempt ${f.attempt}.`,
  "repeat-invisible-in-log": (f: { attempt: number; cause: string }) =>
    `Attempt ${f.attempt} repeats a call under its own id (${f.cause}): a session log cannot show it.`,
  "probe-usage-mixed":
    "The probe's model calls could not be told from the operation's and are counted with them.",
} as const satisfies Readonly<Record<string, string | ((facts: never) => string)>>;

type Table = typeof FINDING_CODES;
export type FindingCode = keyof Table;
/** What a finding of code `C` has to tell. */
export type FactsOf<C extends FindingCode> = Table[C] extends (facts: infer Facts) => string
  ? Facts
  : Readonly<Record<string, never>>;

/** All facts of a finding, as its code does not say them in a sentence. */
export function listing(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${value ?? "none"}`)
    .join(", ");
}

function because(detail: string | null): string {
  return detail === null || detail === "" ? "" : `: ${detail}`;
}
