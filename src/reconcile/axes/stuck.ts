/**
 * Whether work was still owed with nothing live or scheduled that would do it. Judged from the last reading that was made
 * from the files while nothing touched the object; the runtime's own part in it is the alarm witness's business
 * (`attribution.ts`).
 */
import { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import { bootFailureOf, failedSinceLoss } from "../boot-failure.ts";
import type { CaseFile } from "../case-file.ts";
import { completionOf, firstClientTouch } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { sessionGone } from "../session-records.ts";
import { lastAnswerBefore, workerOf } from "../who.ts";
import { type Axis, type Counter, counted, SHARED_CODES, saidWord } from "./axis.ts";
import { words } from "./words.ts";

/** `overdue`: what was scheduled did not come; `crash-loop`: it fails again and again; `no-progress`: it wakes in vain. */
const Value = words({
  yes: "Work is owed, and nothing will bring it on.",
  no: "Nothing is owed, or something is under way for it.",
  overdue: "An alarm for it was due long ago.",
  "crash-loop": "Activation after activation fails.",
  "no-progress": "It wakes and gets nowhere.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({
  /** How long it woke again and again without progress, in ms; null where it did not. */
  sinceProgressMs: z.number().nullable(),
  /** The failures of a crash loop, and how far apart they came; absent where there is none. */
  crashes: z
    .strictObject({
      attempts: z.number().int().min(1),
      /** Middle one of the times between two that nobody asked for, in ms; null where there were fewer than two. */
      intervalMs: z.number().nullable(),
      lastError: z.string(),
      /** What of the storage could not be read, by the last error; null where it says nothing of that. */
      unreadable: z.string().nullable(),
    })
    .optional(),
});
type StuckAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "session-deleted": "Its session was deleted, so that nobody owes the work any more.",
  "activations-fail": "Activation after activation fails.",
  "schema-unreadable": "Activation after activation fails: a table, a column or a migration cannot be read.",
  "store-unreadable": "Activation after activation fails: the storage cannot be read.",
  "wakes-without-progress": "The object wakes again and again, and gets nowhere.",
  "alarm-overdue": "The alarm was due long ago, and nothing came of it.",
  "jobs-not-read": "The jobs were not read at the end.",
  "not-read-offline":
    "The object did not come back by itself, and what it had scheduled was not read before somebody touched it.",
  "work-live": "Work was still under way at the end.",
  "only-closing-scheduled":
    "The object woke, did nothing of what is owed, and has only its own closing scheduled.",
  "woke-without-progress": "The object woke for what is owed and did nothing of it.",
  "work-scheduled": "An alarm was set for what was owed.",
  "alarm-not-readable": "The alarm could not be read this way.",
  "job-without-alarm": "A job row waits without an alarm.",
  "job-running-without-alarm": "A job is marked as running without an alarm.",
  "nothing-scheduled": "Work is owed, and neither a job nor an alarm exists.",
  "claim-held-job-without-alarm": "The session is still claimed; a job row waits without an alarm.",
  "claim-held-job-running-without-alarm":
    "The session is still claimed; a job is marked as running without an alarm.",
  "claim-held-nothing-scheduled": "The session is still claimed, and neither a job nor an alarm exists.",
} as const;

type Stuck = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const stuck = {
  name: "stuck",
  asks: "Was work still owed in the end, with nothing that would do it?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], sinceProgressMs: null }),
  judge: judgeStuck,
  said: (answer) =>
    saidWord(answer).map((line) =>
      answer.crashes === undefined
        ? line
        : { ...line, words: `${line.words}: ${crashesInWords(answer.crashes)}` },
    ),
  expected: {
    // Each way of getting nowhere is one of being stuck.
    stuck: {
      schema: z.boolean(),
      words: ({ value }) => [value === "no" || value === "unknown" ? value : "yes"],
    },
  },
  columns: [],
  counted: {
    /** Trials in which work was owed that nothing would do, of those that tell. */
    stuck: counted({
      schema: z.strictObject({ values: Tally, stuck: Rate }),
      of: (count: Counter<StuckAnswer>) => ({
        values: count.tally(({ value }) => value),
        stuck: count.rate(
          ({ value }) => value !== "no",
          ({ value }) => value !== "unknown",
        ),
      }),
      asked: { question: "stuck?", answers: ({ values }) => values, usual: ["no"] },
      rates: { stuck: ({ stuck: rate }) => rate },
    }),
  },
} as const satisfies Axis<StuckAnswer>;

/** Wakes without any progress between them that make a subject one that gets nowhere. */
const IDLE_WAKES_MIN = 3;
/** Failed activations that make a loop. */
const FAILURES_MIN = 2;

function judgeStuck(file: CaseFile): StuckAnswer {
  if (file.spec.agent !== undefined) return ofAgent(file);
  const judged = judgeReading(file);
  const missed = judged.value === "no" ? missedReading(file) : null;
  if (missed === null) return judged;
  return {
    ...answer("unknown", "not-read-offline", file.lastLoss?.performed, missed),
    sinceProgressMs: null,
  };
}

/**
 * The reading of an untouched object, where one was to be made and failed and the object did not come back by itself. Whoever touches it
 * opens its host, which schedules and works: nothing that is read later says what would have become of it.
 */
function missedReading(file: CaseFile): Jobs | null {
  const from = file.lastLoss?.performed.seq;
  if (from === undefined) return null;
  const touched = firstClientTouch(file, from)?.seq ?? Number.POSITIVE_INFINITY;
  const asked = file
    .of("snapshot.jobs")
    .filter(({ seq, how }) => seq > from && seq < touched && how === "offline");
  const [missed] = asked;
  if (missed === undefined || asked.some(({ error }) => error === null)) return null;
  const woke = file.activations.some(
    ({ seq, late, cause }) => seq > from && seq < touched && !late && BY_ITSELF.includes(cause),
  );
  return woke ? null : missed;
}

/** A program that was started for the work owes it to nobody but itself: it has ended, or it is still at it. */
function ofAgent(file: CaseFile): StuckAnswer {
  const completion = completionOf(file);
  const judged =
    completion === null
      ? answer("no", "work-live", file.newest, file.ended)
      : answer("no", "nothing-owed", completion);
  return {
    ...(file.stopped ? answer("unknown", "trial-stopped", file.ended) : judged),
    sinceProgressMs: null,
  };
}

/** What an object is entered by that nobody touches. */
const BY_ITSELF: readonly JournalRecord<"subject.activated">["cause"][] = ["alarm", "process-start"];

function judgeReading(file: CaseFile): StuckAnswer {
  const say = (judged: Stuck, sinceProgressMs: number | null = null) => ({ ...judged, sinceProgressMs });
  const reading = readingOf(file);
  const crashes = failedSinceLoss(file);
  const completion = completionOf(file);
  if (crashes.length >= FAILURES_MIN && completion === null) return crashLoop(file, crashes);
  if (reading === null || reading.error !== null)
    return say(answer("unknown", "jobs-not-read", reading, file.ended));
  const deletion = sessionGone(file);
  if (deletion !== null) return say(answer("no", "session-deleted", deletion, file.collect.schema));
  if (!isOwed(file, reading))
    return say(answer("no", "nothing-owed", doneBefore(file, reading) ?? completion, reading));
  const live = liveWork(file);
  if (live !== null && reading.how === "object") return say(answer("no", "work-live", live, reading));
  const idle = idleWakes(file);
  if (idle !== null) {
    const [progress, wakes] = idle;
    const until = wakes.at(-1)?.at ?? progress.at;
    return say(
      answer("no-progress", "wakes-without-progress", progress, wakes, reading),
      until - progress.at,
    );
  }
  const vain = wokeInVain(file, reading);
  if (vain !== null) {
    const loss = file.lastLoss?.performed;
    // What would wake it again has been and has done nothing; where not even that is set, nothing ever will.
    return reading.jobs.every(({ fn }) => CLOSING.includes(fn))
      ? say(answer("yes", "only-closing-scheduled", loss, vain, reading))
      : say(answer("no-progress", "woke-without-progress", loss, vain, reading), reading.at - vain.at);
  }
  const due = reading.alarmAt;
  if (due !== null) {
    // On the object's clock: an alarm witness that was due no earlier has fired since.
    const fired = file.of("canary.fired").find(({ canaryAt }) => canaryAt >= due);
    const woke = file.activations.some(
      ({ seq, late }) => seq > reading.seq && !late && beforeClients(file, seq),
    );
    if (fired !== undefined && fired.canaryAt - due > OVERDUE_MS && !woke)
      return say(answer("yes", "alarm-overdue", reading, fired));
    if (isPastDue(file, reading, due) && !woke)
      return say(answer("overdue", "alarm-overdue", reading, file.ended));
    return say(answer("no", "work-scheduled", reading));
  }
  if (reading.alarmUnknown) return say(answer("unknown", "alarm-not-readable", reading));
  const running = reading.jobs.some((job) => job.running === true);
  if (file.stopped) return say(answer("unknown", "trial-stopped", reading, file.ended));
  const code =
    reading.jobs.length > 0
      ? running
        ? "job-running-without-alarm"
        : "job-without-alarm"
      : "nothing-scheduled";
  return say(
    answer(
      "yes",
      isClaimed(reading) && completion !== null ? `claim-held-${code}` : code,
      file.lastLoss?.performed,
      reading,
      file.ended,
    ),
  );
}

type Jobs = JournalRecord<"snapshot.jobs">;

/** An alarm may be delivered late; this late, in ms, it is overdue. */
const OVERDUE_MS = 5_000;

/**
 * The reading that decides: the last one that was made from the files while nothing touched the object. A reading through
 * the object opens its host and arms jobs of its own, so it only stands in where there is no other.
 */
function readingOf(file: CaseFile): Jobs | null {
  const from = file.lastLoss?.performed.seq;
  if (from === undefined) return file.collect.jobs;
  const touched = firstClientTouch(file, from)?.seq ?? Number.POSITIVE_INFINITY;
  const offline = file
    .of("snapshot.jobs")
    .findLast(({ seq, how, error }) => seq > from && seq < touched && how === "offline" && error === null);
  if (offline === undefined) return file.collect.jobs;
  // Read before the object can have looked after its work, an intact wake says only that it will; the end says more.
  const woke = file.activations.some(({ seq, late }) => seq > offline.seq && seq < touched && !late);
  return woke && offline.alarmAt !== null ? (file.collect.jobs ?? offline) : offline;
}

function isClaimed({ claims }: Jobs): boolean {
  return claims.some(({ claimedAt, held }) => claimedAt !== null || held === true);
}

/** Whether the session still held work when it was read, or, where no claim shows, nobody had completed it. */
function isOwed(file: CaseFile, reading: Jobs): boolean {
  if (isClaimed(reading)) return true;
  // Its submission was cut off, and it knew nothing of it when it was asked again: it had promised nothing.
  if (file.submitted?.accepted === null && file.resubmitted !== null) return false;
  const { claims } = reading;
  const done = doneBefore(file, reading);
  if (done !== null) return false;
  // Without any claim to read, only the outcome tells; an earlier reading must not be excused by what came later.
  return claims.length > 0 && reading.how === "object"
    ? completionOf(file) === null
    : completionOf(file) === null || wasOwedThen(file, reading);
}

/** The model's last answer to the operation, or its outcome, from before the reading. */
function doneBefore(file: CaseFile, reading: Jobs): JournalRecord | null {
  const completion = completionOf(file);
  if (completion !== null && completion.seq < reading.seq) return completion;
  return completion === null ? null : lastAnswerBefore(file, reading.seq);
}

/** Offline, and the operation was completed only by what came after somebody had spoken to the object. */
function wasOwedThen(file: CaseFile, reading: Jobs): boolean {
  if (reading.how !== "offline") return false;
  const worker = workerOf(file);
  const touched = firstClientTouch(file, reading.seq)?.seq ?? Number.POSITIVE_INFINITY;
  return worker !== null && worker.by.seq > touched;
}

function beforeClients(file: CaseFile, seq: number): boolean {
  const from = file.lastLoss?.performed.seq ?? 0;
  return seq < (firstClientTouch(file, from)?.seq ?? Number.POSITIVE_INFINITY);
}

/** Where the alarm witness does not tell: the trial's end, held against the object's clock as its beacons show it. */
function isPastDue(file: CaseFile, reading: Jobs, due: number): boolean {
  const beacon = file.activations.findLast(({ late }) => !late);
  const touched = firstClientTouch(file, reading.seq) ?? file.ended;
  if (beacon === undefined || touched === null) return false;
  return beacon.subjectAt + (touched.at - beacon.at) - due > OVERDUE_MS;
}

function crashLoop(file: CaseFile, failed: readonly JournalRecord<"activation.failed">[]): StuckAnswer {
  // How often the object tries by itself shows before the first request of a client alone: each makes it fail again.
  const firsts = failed.filter(
    (one, index) => failed.findIndex(({ activation }) => activation === one.activation) === index,
  );
  const alone = firsts.filter(({ seq }) => beforeClients(file, seq));
  const crashes = [alone, firsts].find(({ length }) => length >= FAILURES_MIN) ?? failed;
  const last = crashes.at(-1)?.error ?? "";
  const failure = bootFailureOf(last);
  const gaps = alone
    .slice(1)
    .map(({ at }, index) => at - (alone[index]?.at ?? at))
    .sort((a, b) => a - b);
  return {
    ...answer("crash-loop", failure?.code ?? "activations-fail", file.lastLoss?.performed, crashes),
    sinceProgressMs: null,
    crashes: {
      attempts: crashes.length,
      intervalMs: gaps[Math.floor(gaps.length / 2)] ?? null,
      lastError: last,
      unreadable: failure?.what ?? null,
    },
  };
}

export function crashesInWords({
  attempts,
  intervalMs,
  lastError,
}: NonNullable<StuckAnswer["crashes"]>): string {
  const apart =
    intervalMs === null
      ? ", one of them by itself at most"
      : ` about ${(intervalMs / 1_000).toFixed(1)} s apart`;
  return `${attempts} attempts${apart}, the last with: ${lastError}`;
}

/** The last progress and the wakes that followed it, where the object woke again and again and got nowhere. */
function idleWakes(
  file: CaseFile,
): readonly [JournalRecord, readonly JournalRecord<"subject.activated">[]] | null {
  const loss = file.lastLoss;
  if (loss === null) return null;
  const touched = firstClientTouch(file, loss.performed.seq)?.seq ?? Number.POSITIVE_INFINITY;
  const progress =
    file.records.findLast(
      (record) =>
        record.seq < touched &&
        (record.type === "attempt.received" ||
          record.type === "model.requested" ||
          record.type === "effect.committed"),
    ) ?? loss.performed;
  const since = progress.seq < loss.from ? loss.performed : progress;
  const wakes = file.activations.filter(
    ({ seq, late, cause }) => seq > since.seq && seq < touched && !late && cause === "alarm",
  );
  return wakes.length >= IDLE_WAKES_MIN ? [since, wakes] : null;
}

/** Jobs with which a harness closes what is idle: none of them works off what is owed. */
const CLOSING: readonly string[] = ["close"];

/** A harness that goes on does so within less than this from its wake, in ms. */
const BEGINNING_MS = 5_000;

/**
 * The first life after the loss, where it had come well before the reading and nobody has worked on anything since. An object
 * that has not woken yet may still go on when it does.
 */
function wokeInVain(file: CaseFile, reading: Jobs): JournalRecord<"subject.activated"> | null {
  const loss = file.lastLoss;
  if (loss === null || reading.how !== "offline" || reading.jobs.length === 0) return null;
  if (!isClaimed(reading)) return null;
  const woke = file.activations.find(({ seq, late }) => seq > loss.from && seq < reading.seq && !late);
  // It may have come only just now.
  if (woke === undefined || reading.at - woke.at < BEGINNING_MS) return null;
  const worked = file.records.some(
    (record) =>
      record.seq > loss.from &&
      record.seq < reading.seq &&
      (record.type === "attempt.received" || record.type === "model.requested") &&
      record.activation !== loss.owner?.activation,
  );
  return worked ? null : woke;
}

/** An attempt or a model request of the newest activation that is still under way. */
function liveWork(file: CaseFile): { seq: number } | null {
  const newest = file.newest?.activation;
  if (newest === undefined) return null;
  const attempt = file.attempts.find(({ open, received }) => open && received.activation === newest);
  if (attempt !== undefined) return attempt.received;
  const answered = new Set(file.of("model.answered").map(({ call }) => call));
  const last = file.of("model.requested").findLast(({ activation }) => activation === newest);
  const refusedSince = file.of("model.refused").some(({ seq }) => seq > (last?.seq ?? 0));
  return last !== undefined && !answered.has(last.call) && !refusedSince ? last : null;
}
