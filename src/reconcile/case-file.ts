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
import { type Reset, takesHost } from "../trace/resets.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { EXECUTOR_RESET_TRAITS, isExecutorReset, targetTraits } from "../trace/targets.ts";

type R<T extends RecordType> = JournalRecord<T>;

/** One attempt and everything the ledger recorded about it. */
export type AttemptStory = {
  readonly received: R<"attempt.received">;
  /**
   * The tool call that it serves. A request that does not name it serves the newest call that the model had asked for; null
   * where there was none.
   */
  readonly call: string | null;
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
  /**
   * When the host was gone, on the ledger's clock: the end of its process as it was recorded, else the report of a reset
   * through the object, else the request, since a process reset is reported only when the next process listens.
   */
  readonly lostAt: number;
  /** Records of the old activation at work after its process had ended, or after the reset was performed. */
  readonly signsOfLife: readonly JournalRecord[];
};

/** The loss of the executor, where a reset of the trial takes it. */
export type ExecutorLoss = {
  readonly performed: R<"reset.performed">;
  /** The `seq` from which on the reset may have taken effect. */
  readonly from: number;
  /** What shows that it was gone: its end as whoever started it saw it, or that it was made to stand still; null without. */
  readonly gone: R<"executor.ended"> | R<"executor.paused"> | null;
  /** Where it stood still and went on. */
  readonly resumed: R<"executor.resumed"> | null;
  /** The starts that its container refused afterwards. */
  readonly refused: readonly R<"executor.refused">[];
  /** The one that was started next, if any was. */
  readonly next: R<"executor.started"> | null;
  /** Records of the old executor at work while it was gone. */
  readonly signsOfLife: readonly JournalRecord[];
  /** And after it went on. */
  readonly actsAgain: readonly JournalRecord[];
};

/** All records of one type, in order. Found once and shared by the checks, so nobody may change the list. */
type RecordsOf = <T extends RecordType>(type: T) => readonly JournalRecord<T>[];

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
  readonly executorLoss: ExecutorLoss | null;
  /** From where on the work may have been cut off: the first loss of the object or of the executor. */
  readonly workLoss: Pick<ResetStory, "from" | "performed"> | null;
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
  /** The model requests of the operation's own turns, by call: none of the later probe's. */
  readonly turns: ReadonlyMap<number, R<"model.requested">>;
  /** The model's last answer that ended a turn of the operation, wherever it stands. */
  readonly lastAnswer: R<"model.answered"> | null;
  readonly probe: R<"probe.submitted"> | null;
  /** From here on a model call may be the probe's: its submission is recorded when it was answered. */
  readonly probeFrom: number;
  /** And from here on it may be that of a session which began anew afterwards. */
  readonly probeUntil: number;
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
  /** What each activation was seen to do, by its id, in order. */
  readonly acts: ReadonlyMap<string, readonly JournalRecord[]>;
  /** Activation ids that did something but left no `subject.activated`. */
  readonly unrecorded: readonly { readonly activation: string; readonly seq: number }[];
};

export function openCaseFile(records: readonly JournalRecord[], spec: TrialSpec): CaseFile {
  const of = indexByType(records);
  const acts = readActs(records);
  const named = namedActivations(acts);
  const activations = of("subject.activated");
  const resets = readResets(of, named, acts, spec);
  const losses = resets.filter((reset) => reset.hostLoss);
  const lastLoss = losses.at(-1) ?? null;
  const executorLoss = readExecutorLoss(of, records, resets[0], spec);
  const onTime = activations.filter((activation) => !activation.late);
  const newest =
    lastLoss === null
      ? (onTime.at(-1) ?? null)
      : (freshSince(of, named, lastLoss.from, Number.POSITIVE_INFINITY).at(-1) ?? null);
  const submissions = of("operation.submitted").filter((r) => r.operationId === spec.operationId);
  const submitted = submissions.find((r) => r.purpose === "first") ?? null;
  const resubmitted = submissions.find((r) => r.purpose !== "first" && r.accepted === true) ?? null;
  const firstReset = resets[0]?.from ?? Number.POSITIVE_INFINITY;
  const collected = <T extends "snapshot.log" | "snapshot.schema" | "snapshot.transcript" | "snapshot.jobs">(
    type: T,
  ) => of(type).findLast((record) => record.when === "collect") ?? null;
  const ended = of("trial.ended").at(-1) ?? null;
  const probeFrom =
    (of("phase.entered").find(({ phase }) => phase === "probe") ?? of("probe.submitted")[0])?.seq ??
    Number.POSITIVE_INFINITY;
  const turns = new Map<number, R<"model.requested">>();
  for (const request of of("model.requested"))
    if (request.purpose === "turn" && request.seq < probeFrom) turns.set(request.call, request);
  const reported = new Set(activations.map(({ activation }) => activation));
  return {
    spec,
    records,
    of,
    attempts: readAttempts(of),
    activations,
    resets,
    firstLoss: losses[0] ?? null,
    executorLoss,
    workLoss: losses[0] ?? executorLoss,
    lastLoss,
    newest,
    submitted,
    settled: of("operation.settled").findLast((r) => r.operationId === spec.operationId) ?? null,
    resubmitted,
    resubmittedFrom: resubmissionStart(of("operation.settled"), resubmitted),
    probe: of("probe.submitted")[0] ?? null,
    probeFrom,
    probeUntil: of("probe.settled")[0]?.seq ?? of("session.begun")[0]?.seq ?? Number.POSITIVE_INFINITY,
    turns,
    lastAnswer:
      of("model.answered").findLast(({ finish, call }) => finish === "stop" && turns.has(call)) ?? null,
    collect: {
      log: collected("snapshot.log"),
      schema: collected("snapshot.schema"),
      // Where the messages were read twice, the session's own history counts.
      transcript:
        of("snapshot.transcript").findLast(({ when, via }) => when === "collect" && via !== "messages") ??
        null,
      jobs: collected("snapshot.jobs"),
    },
    look:
      of("snapshot.log").findLast((r) => r.seq < firstReset && r.when === "look" && r.error === null) ?? null,
    ended,
    stopped: ended?.reason !== "completed",
    unrecorded: named.filter(({ activation }) => !reported.has(activation)),
    acts,
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
    case "identity.read":
    case "session.begun":
    case "rival.submitted":
    case "work.begun":
    case "reference.used":
    case "ahead.submitted":
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

/** The executor that a record shows at work; undefined for records that show none. */
export function executorIn(record: JournalRecord): string | undefined {
  switch (record.type) {
    case "attempt.received":
    case "model.requested":
    case "entry.read":
      return record.executor;
    default:
      return undefined;
  }
}

function readExecutorLoss(
  of: RecordsOf,
  records: readonly JournalRecord[],
  reset: ResetStory | undefined,
  spec: TrialSpec,
): ExecutorLoss | null {
  if (reset === undefined || !targetTraits(spec.factors).losesExecutor) return null;
  const { performed, from } = reset;
  const gone = goneBy(of, from, performed.reset);
  const since = gone?.seq ?? from;
  const resumed =
    of("executor.resumed").find(({ seq, executor }) => seq > since && executor === gone?.executor) ?? null;
  const again = resumed?.seq ?? Number.POSITIVE_INFINITY;
  const acts =
    gone === null
      ? []
      : records.filter((record) => record.seq > since && executorIn(record) === gone.executor);
  return {
    performed,
    from,
    gone,
    resumed,
    refused: of("executor.refused").filter(({ seq }) => seq > since),
    next: of("executor.started").find(({ seq }) => seq > since) ?? null,
    signsOfLife: acts.filter(({ seq }) => seq < again),
    actsAgain: acts.filter(({ seq }) => seq > again),
  };
}

/** The first record after `from` that shows the executor gone in the way in which the reset takes one. */
function goneBy(of: RecordsOf, from: number, reset: Reset): ExecutorLoss["gone"] {
  if (!isExecutorReset(reset)) return null;
  const { takenBy: by } = EXECUTOR_RESET_TRAITS[reset];
  if (by === "pause") return of("executor.paused").find(({ seq }) => seq > from) ?? null;
  const cause = by === "reset" ? "reset" : "destroyed";
  return of("executor.ended").find((ended) => ended.seq > from && ended.cause === cause) ?? null;
}

type NamedActivation = { readonly activation: string; readonly seq: number };

/** What each activation was seen to do, by its id: every record that names it as acting or answering, in order. */
function readActs(records: readonly JournalRecord[]): ReadonlyMap<string, JournalRecord[]> {
  const acts = new Map<string, JournalRecord[]>();
  const makers = new Map<number, string>();
  for (const record of records) {
    if (record.type === "attempt.received" && record.executor === undefined && record.activation !== null)
      makers.set(record.attempt, record.activation);
    const id = actorOf(record, makers);
    if (id === null) continue;
    const own = acts.get(id);
    if (own === undefined) acts.set(id, [record]);
    else own.push(record);
  }
  return acts;
}

/** Who is seen alive in a record; null for records that show nobody. */
function actorOf(record: JournalRecord, makers: ReadonlyMap<number, string>): string | null {
  switch (record.type) {
    case "attempt.received":
    case "model.requested":
    case "entry.read":
      // An executor goes on without its object: what it does shows nobody else alive.
      return record.executor === undefined ? record.activation : null;
    case "client.reconnected":
    case "marker.written":
    case "reset.requested":
      return record.activation;
    case "operation.submitted":
    case "operation.settled":
    case "operation.followed-up":
    case "probe.submitted":
    case "probe.settled":
    case "identity.read":
    case "session.begun":
    case "session.settled":
    case "rival.submitted":
    case "ahead.submitted":
    case "rival.settled":
    case "work.begun":
    case "reference.used":
    case "ahead.settled":
      return record.activation ?? null;
    case "receipt.sent":
      return makers.get(record.attempt) ?? null;
    default:
      return null;
  }
}

/** Every activation id that acts, with the first record that says so. A receipt shows whom it went to, not who acts. */
function namedActivations(acts: ReadonlyMap<string, readonly JournalRecord[]>): NamedActivation[] {
  return [...acts].flatMap(([activation, own]) => {
    const first = own.find(({ type }) => type !== "receipt.sent");
    return first === undefined ? [] : [{ activation, seq: first.seq }];
  });
}

function readAttempts(of: RecordsOf): AttemptStory[] {
  const committed = firstByAttempt(of("effect.committed"));
  const deduplicated = firstByAttempt(of("effect.deduplicated"));
  const rejected = firstByAttempt(of("attempt.rejected"));
  const sent = firstByAttempt(of("receipt.sent"));
  const asked = of("model.answered").flatMap(({ seq, toolCalls }) =>
    toolCalls.flatMap(({ call, action }) => (action === null ? [] : [{ seq, call, action }])),
  );
  const newestCall = ({ seq, action }: R<"attempt.received">) =>
    asked.findLast((one) => one.action === action && one.seq < seq)?.call ?? null;
  return of("attempt.received").map((received) => {
    const { attempt } = received;
    const fates = [committed, deduplicated, rejected].map((fate) => fate.get(attempt));
    return {
      received,
      call: received.call ?? newestCall(received),
      committed: committed.get(attempt) ?? null,
      deduplicated: deduplicated.get(attempt) ?? null,
      rejected: rejected.get(attempt) ?? null,
      sent: sent.get(attempt) ?? null,
      open: fates.every((fate) => fate === undefined),
    };
  });
}

function firstByAttempt<T extends { readonly attempt: number }>(
  records: readonly T[],
): ReadonlyMap<number, T> {
  const first = new Map<number, T>();
  for (const record of records) if (!first.has(record.attempt)) first.set(record.attempt, record);
  return first;
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

function readResets(
  of: RecordsOf,
  named: readonly NamedActivation[],
  acts: ReadonlyMap<string, readonly JournalRecord[]>,
  spec: TrialSpec,
): ResetStory[] {
  const requests = of("reset.requested");
  const performed = of("reset.performed");
  const activations = of("subject.activated");
  const deaths = of("process.ended");
  // The trial itself commits what it held and answers a connection that may have outlived its host: no sign of life.
  const late = new Set(
    spec.factors.heldAttempt === "committed-late" ? of("hold.reached").map(({ attempt }) => attempt) : [],
  );
  const starts = performed.map((record) => {
    const requested = requests.find((request) => request.ordinal === record.ordinal) ?? null;
    const told = Math.min(requested?.seq ?? record.seq, record.seq);
    const itself = activations.find(({ activation }) => activation === record.write?.activation) ?? null;
    // An object that ends itself may be back before anybody else knows that it is gone.
    const back =
      itself === null ? undefined : activations.find((a) => !a.late && a.seq > itself.seq && a.seq < told);
    return { record, requested, itself, from: back === undefined ? told : back.seq - 1 };
  });
  return starts.map(({ record, requested, itself, from }, index) => {
    const until = starts[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const before = new Set(named.flatMap((n) => (n.seq <= from ? [n.activation] : [])));
    const owner =
      itself ??
      activations.findLast((a) => a.seq < from && !a.late) ??
      activations.find((a) => before.has(a.activation)) ??
      null;
    // A successor that died before it could report is reported by the one after it.
    const reportedLate = activations.find(
      (a) => a.late && a.seq > from && owner !== null && a.generation > owner.generation,
    );
    const successor = freshSince(of, named, from, until)[0] ?? reportedLate ?? null;
    const hostLoss = takesHost(record.reset) && targetTraits(spec.factors).losesObject;
    const death = deaths.find(
      ({ seq, pid }) => seq >= from && seq <= record.seq && pid === record.process?.pid,
    );
    // The object may be back before the reset's performer has reported.
    const early = successor !== null && !successor.late && successor.seq < record.seq;
    const requestedAt = requested?.at ?? record.at;
    return {
      ordinal: record.ordinal,
      requested,
      performed: record,
      from,
      hostLoss,
      owner,
      successor,
      lostAt: death?.at ?? (record.process !== null || early ? requestedAt : record.at),
      signsOfLife:
        owner === null || !hostLoss
          ? []
          : (acts.get(owner.activation) ?? []).filter(
              (act) =>
                act.seq > (death ?? record).seq && !(act.type === "receipt.sent" && late.has(act.attempt)),
            ),
    };
  });
}
