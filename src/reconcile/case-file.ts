/**
 * The journal, put in the order in which the checks ask about it: who was alive when, what became of each attempt,
 * which resets were delivered, what was read at the end. Facts only; every opinion is in a check.
 *
 * Two rules hold everywhere. A record with `late: true` was sent by a later activation, so its `seq` says nothing
 * about when it happened. And a reset is dated by its *request*: the object may be back before the reset's
 * performer has come to report it.
 */
import { IDLE_UNFINISHED, NOT_FOUND } from "../trace/protocol/subject-protocol.ts";
import type { JournalRecord, LogEvent, RecordType } from "../trace/records.ts";
import { takesHost } from "../trace/resets.ts";
import type { TrialSpec } from "../trace/spec.ts";

type R<T extends RecordType> = JournalRecord<T>;

/** One attempt and everything the ledger recorded about it. */
export type AttemptStory = {
  readonly received: R<"attempt.received">;
  readonly committed: R<"effect.committed"> | null;
  readonly deduplicated: R<"effect.deduplicated"> | null;
  readonly rejected: R<"attempt.rejected"> | null;
  readonly sent: R<"receipt.sent"> | null;
  /** Neither committed, deduplicated nor rejected. */
  readonly open: boolean;
};

/** One performed reset, and who was alive on either side of it. */
export type ResetStory = {
  readonly ordinal: number;
  readonly requested: R<"reset.requested"> | null;
  readonly performed: R<"reset.performed">;
  /** The `seq` from which on the reset may have taken effect. */
  readonly from: number;
  readonly hostLoss: boolean;
  /** The newest activation known before the reset. */
  readonly owner: R<"subject.activated"> | null;
  /** The first activation after it that was not known before. */
  readonly successor: R<"subject.activated"> | null;
};

/** All records of one type, in order. Found once and shared by the checks, so nobody may change the list. */
export type RecordsOf = <T extends RecordType>(type: T) => readonly JournalRecord<T>[];

export type CaseFile = {
  readonly spec: TrialSpec;
  readonly records: readonly JournalRecord[];
  readonly of: RecordsOf;
  readonly attempts: readonly AttemptStory[];
  readonly activations: readonly R<"subject.activated">[];
  readonly resets: readonly ResetStory[];
  /** The last reset that ends the object's life, if any was performed. */
  readonly lastLoss: ResetStory | null;
  readonly firstLoss: ResetStory | null;
  /** The newest activation after the last host loss, or of the whole trial when there was none. */
  readonly newest: R<"subject.activated"> | null;
  /** The record of the operation's own submission and its last outcome. */
  readonly submitted: R<"operation.submitted"> | null;
  readonly settled: R<"operation.settled"> | null;
  /** A second submission of the same id that was taken as new work. */
  readonly resubmitted: R<"operation.submitted"> | null;
  /**
   * From here on work may be the resubmission's: its submission is recorded when it was answered, and the work that it
   * brings about may be recorded before. Before it the subject had said that it knows no such operation.
   */
  readonly resubmittedFrom: number;
  readonly probe: R<"probe.submitted"> | null;
  /** From here on a model call may be the probe's: its submission is recorded when it was answered. */
  readonly probeFrom: number;
  readonly collect: {
    readonly log: R<"snapshot.log"> | null;
    readonly schema: R<"snapshot.schema"> | null;
    readonly transcript: R<"snapshot.transcript"> | null;
    readonly jobs: R<"snapshot.jobs"> | null;
  };
  /** The last read of the log from before the first reset. */
  readonly look: R<"snapshot.log"> | null;
  readonly ended: R<"trial.ended"> | null;
  /** The trial did not run to its end, so that what did not happen may only not have happened yet. */
  readonly stopped: boolean;
  /** Activation ids that did something but left no `subject.activated`. */
  readonly unrecorded: readonly { readonly activation: string; readonly seq: number }[];
};

export function openCaseFile(records: readonly JournalRecord[], spec: TrialSpec): CaseFile {
  const of = indexByType(records);
  const named = namedActivations(records);
  const activations = of("subject.activated");
  const resets = readResets(of, named);
  const losses = resets.filter((reset) => reset.hostLoss);
  const lastLoss = losses.at(-1) ?? null;
  const onTime = activations.filter((activation) => !activation.late);
  const newest =
    lastLoss === null
      ? (onTime.at(-1) ?? null)
      : (freshSince(of, named, lastLoss.from, Number.POSITIVE_INFINITY).at(-1) ?? null);
  const submissions = of("operation.submitted").filter((r) => r.operationId === spec.operationId);
  const submitted = submissions.find((r) => r.purpose === "first") ?? null;
  const resubmitted = submissions.find((r) => r.purpose === "again" && r.accepted === true) ?? null;
  const firstReset = resets[0]?.from ?? Number.POSITIVE_INFINITY;
  const collected = <T extends "snapshot.log" | "snapshot.schema" | "snapshot.transcript" | "snapshot.jobs">(
    type: T,
  ) => of(type).findLast((record) => record.when === "collect") ?? null;
  const ended = of("trial.ended").at(-1) ?? null;
  return {
    spec,
    records,
    of,
    attempts: readAttempts(of),
    activations,
    resets,
    firstLoss: losses[0] ?? null,
    lastLoss,
    newest,
    submitted,
    settled: of("operation.settled").findLast((r) => r.operationId === spec.operationId) ?? null,
    resubmitted,
    resubmittedFrom: resubmissionStart(of("operation.settled"), resubmitted),
    probe: of("probe.submitted")[0] ?? null,
    probeFrom:
      (of("phase.entered").find(({ phase }) => phase === "probe") ?? of("probe.submitted")[0])?.seq ??
      Number.POSITIVE_INFINITY,
    collect: {
      log: collected("snapshot.log"),
      schema: collected("snapshot.schema"),
      transcript: collected("snapshot.transcript"),
      jobs: collected("snapshot.jobs"),
    },
    look:
      of("snapshot.log").findLast((r) => r.seq < firstReset && r.when === "look" && r.error === null) ?? null,
    ended,
    stopped: ended?.reason !== "completed",
    unrecorded: named.filter(
      ({ activation }) => !activations.some((record) => record.activation === activation),
    ),
  };
}

function resubmissionStart(
  outcomes: readonly R<"operation.settled">[],
  resubmitted: R<"operation.submitted"> | null,
): number {
  if (resubmitted === null) return Number.POSITIVE_INFINITY;
  const denied = outcomes.findLast((record) => record.seq < resubmitted.seq && !isAnswered(record));
  return (denied ?? resubmitted).seq;
}

/**
 * Whether the operation's last outcome is one that somebody gave, as opposed to "I know no such operation" and to
 * "there is no answer, and nothing is under way".
 */
export function isAnswered(settled: R<"operation.settled"> | null): settled is R<"operation.settled"> {
  if (settled === null) return false;
  const { status, reason } = settled;
  return !(status === "unanswered" && (reason?.includes(NOT_FOUND) === true || isIdle(settled)));
}

/** Whether the harness said that nothing is under way, although the operation has no answer. */
export function isIdle({ status, reason }: R<"operation.settled">): boolean {
  return status === "unanswered" && reason?.startsWith(IDLE_UNFINISHED) === true;
}

/** The last word of the session's own log about its execution. */
export function lastExecutionEvent(log: R<"snapshot.log"> | null): LogEvent | null {
  return log?.events.findLast((event) => event.type.startsWith("session.execution.")) ?? null;
}

/**
 * The record after which the operation counts as completed: its outcome, or, where nobody asked, the read of a log
 * that ends with a terminal event. Null when it was not completed or that cannot be shown.
 */
export function completionOf(file: CaseFile): JournalRecord | null {
  if (isAnswered(file.settled)) return file.settled;
  if (file.settled !== null || file.probe !== null) return null;
  const last = lastExecutionEvent(file.collect.log);
  return last !== null && last.type !== "session.execution.started" ? file.collect.log : null;
}

/** When a client may have touched the object again, after `from`: the first record that allows for it. */
export function firstClientTouch(file: CaseFile, from: number): JournalRecord | null {
  return file.records.find((record) => record.seq > from && allowsTouch(record)) ?? null;
}

/** Records of work that needs the object to be spoken to. */
export function isTouch(record: JournalRecord): boolean {
  switch (record.type) {
    case "operation.submitted":
    case "operation.followed-up":
    case "probe.submitted":
    case "client.reconnected":
      return true;
    case "snapshot.log":
    case "snapshot.schema":
    case "snapshot.transcript":
    case "snapshot.jobs":
      return record.how === "object";
    default:
      return false;
  }
}

function allowsTouch(record: JournalRecord): boolean {
  if (record.type === "quiet.ended") return true;
  if (record.type === "phase.entered") return record.phase === "reconnect" || record.phase === "collect";
  return isTouch(record);
}

function indexByType(records: readonly JournalRecord[]): RecordsOf {
  const index = Map.groupBy(records, ({ type }) => type);
  return <T extends RecordType>(type: T) => (index.get(type) ?? []) as unknown as readonly JournalRecord<T>[];
}

type NamedActivation = { readonly activation: string; readonly seq: number };

/** Every activation id that a record names as acting or answering, with the first record that does. */
function namedActivations(records: readonly JournalRecord[]): NamedActivation[] {
  const seen = new Map<string, number>();
  for (const record of records) {
    const id =
      record.type === "attempt.received" ||
      record.type === "model.requested" ||
      record.type === "entry.read" ||
      record.type === "client.reconnected" ||
      record.type === "marker.written" ||
      record.type === "reset.requested"
        ? record.activation
        : null;
    if (id !== null && !seen.has(id)) seen.set(id, record.seq);
  }
  return [...seen].map(([activation, seq]) => ({ activation, seq }));
}

function readAttempts(of: RecordsOf): AttemptStory[] {
  return of("attempt.received").map((received) => {
    const { attempt } = received;
    const first = <
      T extends "effect.committed" | "effect.deduplicated" | "attempt.rejected" | "receipt.sent",
    >(
      type: T,
    ) => (of(type) as readonly R<T>[]).find((record) => record.attempt === attempt) ?? null;
    const committed = first("effect.committed");
    const deduplicated = first("effect.deduplicated");
    const rejected = first("attempt.rejected");
    return {
      received,
      committed,
      deduplicated,
      rejected,
      sent: first("receipt.sent"),
      open: committed === null && deduplicated === null && rejected === null,
    };
  });
}

/** Activations recorded on time in (from, until) whose id no earlier record names. */
function freshSince(
  of: RecordsOf,
  named: readonly NamedActivation[],
  from: number,
  until: number,
): R<"subject.activated">[] {
  const known = new Set<string>();
  for (const record of of("subject.activated")) if (record.seq < from) known.add(record.activation);
  for (const { activation, seq } of named) if (seq <= from) known.add(activation);
  return of("subject.activated").filter(
    (record) => record.seq > from && record.seq < until && !record.late && !known.has(record.activation),
  );
}

function readResets(of: RecordsOf, named: readonly NamedActivation[]): ResetStory[] {
  const requests = of("reset.requested");
  const performed = of("reset.performed");
  const activations = of("subject.activated");
  const starts = performed.map((record) => {
    const requested = requests.find((request) => request.ordinal === record.ordinal) ?? null;
    return { record, requested, from: Math.min(requested?.seq ?? record.seq, record.seq) };
  });
  return starts.map(({ record, requested, from }, index) => {
    const until = starts[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const before = new Set(named.flatMap((n) => (n.seq <= from ? [n.activation] : [])));
    const owner =
      activations.findLast((a) => a.seq < from && !a.late) ??
      activations.find((a) => before.has(a.activation)) ??
      null;
    // A successor that died before it could report is reported by the one after it.
    const late = activations.find(
      (a) => a.late && a.seq > from && owner !== null && a.generation > owner.generation,
    );
    return {
      ordinal: record.ordinal,
      requested,
      performed: record,
      from,
      hostLoss: takesHost(record.reset),
      owner,
      successor: freshSince(of, named, from, until)[0] ?? late ?? null,
    };
  });
}
