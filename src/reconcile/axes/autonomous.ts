/**
 * Whether the object came back before any client asked for it, judged by what was in the journal before the first
 * record that allows for a client's request.
 */
import { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import { CANARY_HEARTBEAT_MS, HARNESS_HEARTBEAT_MS } from "../../trace/heartbeats.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { firstClientTouch, isAnswered, isTouch } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { begunBy } from "../object-clock.ts";
import { type Axis, agreed, type Counter, counted, expectedYesNo, NOTHING, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  yes: "It came back before any client asked.",
  no: "It did not.",
  "not-applicable": "It was not tried, or no host was lost.",
  unknown: "The evidence does not decide it.",
});
/** Whether the object came back before any client asked for it, and after how many ms from its loss. */
const schema = answerSchema(Value).extend({
  wokeAfterMs: z.number().nullable(),
  /** How much later than it was due, on the object's own clock; null where nothing shows when that was. */
  wokeLateMs: z.number().nullable(),
});
type AutonomousAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "started-by-kit": "The subject is a process: only the kit can start it, so it was not tried alone.",
  "wake-job": "The job that looks after lost work woke the object before any client came.",
  "retried-alarm": "An alarm that the loss had cut off was retried, before any client came.",
  "client-came-at-once": "The client came back at once, so waking alone was not tried.",
  "quiet-not-recorded": "The quiet interval was not recorded.",
  "quiet-broken": "Somebody asked during the quiet interval.",
  "quiet-too-short":
    "The quiet interval was shorter than the time in which the subject looks after its work.",
  "cause-unknown": "Nothing shows what woke the object.",
  "never-woke": "The object did not wake.",
  "client-came-first": "The object woke only when a client could have asked for it.",
  "woken-by-unrecorded-request": "A request that nobody recorded woke the object.",
} as const;

type Autonomous = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const autonomous = {
  name: "autonomous",
  asks: "Did the object come back by itself, before any client asked?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], wokeAfterMs: null, wokeLateMs: null }),
  judge: judgeAutonomous,
  said: ({ value, code, evidence, wokeAfterMs }) => [
    {
      words: wokeAfterMs === null ? value : `${value}, ${(wokeAfterMs / 1_000).toFixed(1)} s after the loss`,
      code,
      evidence,
    },
  ],
  expected: { autonomous: expectedYesNo },
  columns: [{ title: "woke", kind: "time", cell: wokeText }],
  counted: {
    /** Trials in which the object came back before any client asked, of those in which that was tried. */
    woke: counted({
      schema: z.strictObject({ codes: Tally, alone: Rate }),
      of: (count: Counter<AutonomousAnswer>) => ({
        codes: count.tally(({ value, code }) => (value === "yes" ? code : value)),
        alone: count.rate(
          ({ value }) => value === "yes",
          ({ value }) => value === "yes" || value === "no",
        ),
      }),
      asked: { question: "woke alone?", answers: ({ codes }) => codes, usual: null },
      rates: { "woke alone": ({ alone }) => alone },
    }),
  },
} as const satisfies Axis<AutonomousAnswer>;

/** A retried alarm comes within seconds, in ms; the wake job comes when it is due. */
const RETRY_MS_MAX = 10_000;

function judgeAutonomous(file: CaseFile): AutonomousAnswer {
  const answered = answerFor(file);
  const woken = wakingOf(file);
  const { lastLoss } = file;
  if (answered.value !== "yes" || lastLoss === null || woken === null)
    return { ...answered, wokeAfterMs: null, wokeLateMs: null };
  return {
    ...answered,
    // A record of its work tells when; its own clock does where its beacon is all there is.
    wokeAfterMs:
      (woken.first === woken.activated ? begunBy(file, woken.activated) : woken.first.at) - lastLoss.lostAt,
    wokeLateMs: woken.activated.late ? null : lateBy(file, woken.activated),
  };
}

function answerFor(file: CaseFile): Autonomous {
  const { lastLoss } = file;
  if (lastLoss === null) return answer("not-applicable", "no-host-loss", file.ended);
  const settled = file.of("operation.settled").find((record) => isAnswered(record));
  if (settled !== undefined && settled.seq < lastLoss.from)
    return answer("not-applicable", "nothing-owed", settled, lastLoss.performed);
  if (lastLoss.successor === null && lastLoss.performed.process === null)
    return answer("unknown", "reset-not-delivered", lastLoss.performed);
  const [stranger] = file.unrecorded;
  if (stranger !== undefined) return answer("unknown", "subject.activated", stranger);

  const woken = wakingOf(file);
  if (woken?.activated.cause === "process-start")
    return answer("not-applicable", "started-by-kit", lastLoss.performed, woken.activated);
  const from = lastLoss.from;
  const boundary = firstClientTouch(file, from);
  const before =
    woken !== null &&
    (boundary === null || woken.first.seq < boundary.seq || begunBy(file, woken.activated) < boundary.at);
  const { reconnect } = file.spec.factors;
  if (reconnect === "at-once")
    return before && woken.activated.cause === "alarm"
      ? answer("yes", alarmCode(file, woken), woken.activated, woken.first, boundary)
      : answer("not-applicable", "client-came-at-once", woken?.activated, boundary);

  const started = file.of("quiet.started").findLast(({ seq }) => seq > from);
  const ended = file.of("quiet.ended").find(({ seq }) => seq > (started?.seq ?? from));
  if (started === undefined || ended === undefined)
    return answer("unknown", "quiet-not-recorded", lastLoss.performed, boundary);
  const disturber = file.records.find(
    (record) => record.seq > lastLoss.performed.seq && record.seq < ended.seq && showsARequest(record),
  );
  if (disturber !== undefined) return answer("unknown", "quiet-broken", started, disturber);
  const unseen = file
    .of("client.reconnected")
    .find(({ seq, requestsBefore }) => seq > ended.seq && (requestsBefore ?? 0) > 0);
  if (unseen !== undefined) return answer("unknown", "quiet-broken", started, unseen);
  const { heartbeatMs = file.spec.canary ? CANARY_HEARTBEAT_MS : HARNESS_HEARTBEAT_MS } = file.spec;
  if (ended.at - started.at < heartbeatMs) return answer("unknown", "quiet-too-short", started, ended);
  if (woken === null && file.stopped) return answer("unknown", "trial-stopped", started, file.ended);
  if (woken === null) return answer("no", "never-woke", started, ended, file.ended);
  const evidence = [woken.activated, woken.first];
  if (!before) return answer("no", "client-came-first", boundary, evidence);
  const { cause } = woken.activated;
  if (cause === "fetch" || cause === "rpc")
    return answer("unknown", "woken-by-unrecorded-request", evidence, started);
  if (cause !== "alarm") return answer("unknown", "cause-unknown", evidence, started);
  return answer("yes", alarmCode(file, woken), evidence, started, ended);
}

/** Whatever shows that somebody spoke to the object, or had waited for it to speak. */
function showsARequest(record: JournalRecord): boolean {
  return (
    isTouch(record) ||
    record.type === "operation.settled" ||
    record.type === "probe.settled" ||
    // Waiting for whoever reads the files asks nothing of the object.
    (record.type === "wait.expired" && !record.waitedFor.startsWith("reading "))
  );
}

type Waking = {
  readonly activated: JournalRecord<"subject.activated">;
  /** The first record that names the activation: its beacon may come after what it does. */
  readonly first: JournalRecord;
};

function wakingOf(file: CaseFile): Waking | null {
  const successor = file.lastLoss?.successor ?? null;
  if (successor === null) return null;
  const activated = successor.late && !wokeAndLived(file, successor) ? file.newest : successor;
  if (activated === null) return null;
  const from = file.lastLoss?.from ?? 0;
  const acted = file.acts.get(activated.activation)?.find(({ seq }) => seq > from);
  return { activated, first: acted !== undefined && acted.seq < activated.seq ? acted : activated };
}

/** Whether an activation that a later one reported was woken by an alarm, and came after the loss by the object's own time. */
function wokeAndLived(file: CaseFile, reported: JournalRecord<"subject.activated">): boolean {
  const lostAt = file.lastLoss?.lostAt ?? Number.POSITIVE_INFINITY;
  return reported.cause === "alarm" && begunBy(file, reported) > lostAt;
}

/** An alarm that was cut off is retried at once; otherwise the job that looks after lost work comes when it is due. */
function alarmCode(file: CaseFile, { activated, first }: Waking): "retried-alarm" | "wake-job" {
  const due = dueAt(file);
  const afterMs = first.at - (file.lastLoss?.lostAt ?? first.at);
  const beforeDue = due === null || activated.subjectAt < due;
  return file.lastLoss?.owner?.cause === "alarm" && afterMs < RETRY_MS_MAX && beforeDue
    ? "retried-alarm"
    : "wake-job";
}

/** When the object was due to look after its work, on its own clock, as the look before the reset found it. */
function dueAt(file: CaseFile): number | null {
  const jobs = file
    .of("snapshot.jobs")
    .findLast(({ seq, error }) => seq < (file.lastLoss?.from ?? 0) && error === null);
  if (jobs === undefined) return null;
  const times = [jobs.alarmAt, ...jobs.jobs.map((job) => job.dueAt)].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

function lateBy(file: CaseFile, { subjectAt }: JournalRecord<"subject.activated">): number | null {
  const due = dueAt(file);
  return due === null ? null : subjectAt - due;
}

/** From the reset until the object came back before any client, as a range over the trials; `no` if it did not. */
function wokeText(answers: readonly AutonomousAnswer[]): string {
  const times = answers.flatMap(({ value, wokeAfterMs }) =>
    value === "yes" && wokeAfterMs !== null ? [wokeAfterMs / 1_000] : [],
  );
  const others = answers.flatMap(({ value }) =>
    value === "yes" ? [] : [value === "not-applicable" ? NOTHING : value === "unknown" ? "?" : value],
  );
  const [least, most] = [Math.min(...times).toFixed(1), Math.max(...times).toFixed(1)];
  const range = times.length === 0 ? [] : [least === most ? least : `${least}–${most}`];
  return [...range, ...(others.length === 0 ? [] : [agreed(others)])].join("\n") || NOTHING;
}
