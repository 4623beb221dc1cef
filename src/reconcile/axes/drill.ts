/**
 * What an operator's drill came to, who had nothing but the job record: whether job, session and owner were enough, and whether
 * what was to be gone is gone. Executors and snapshots are judged by whoever runs them, a session's record by the rows in storage.
 */
import type { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import { drillTraits } from "../../trace/drills.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema, type Deciding } from "../finding.ts";
import { deletionOf, sessionRows } from "../session-records.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  passed: "The job record was enough, and what the drill was to come to was seen.",
  failed: "It was not, or something else was seen.",
  "not-applicable": "No drill was tried.",
  unknown: "The evidence does not decide it.",
});
const JobStatus = words({
  done: "The job was answered.",
  unanswered: "It ended without an answer.",
  missing: "The object knows no such job any more.",
  deleted: "Its session was deleted, as its owner asked.",
  submitted: "It has no end.",
  none: "There is no job record.",
});
const OtherOwner = words({
  refused: "Another owner's session id opened nothing.",
  opened: "It opened something.",
  untested: "None was presented.",
});
const Left = words({
  nothing: "Nothing is left of what was to be gone.",
  executor: "An executor runs still.",
  snapshots: "A snapshot is there still.",
  "session-record": "The session's record is there still.",
  several: "More than one of these.",
  untested: "Nothing was to be gone.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({ job: JobStatus, otherOwner: OtherOwner, left: Left });
type DrillAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-drill": "The usual client came back.",
  "job-not-recorded": "There is no job record to go by.",
  "not-by-record": "Something was done by another job record than the one that stood then.",
  "not-both-answered": "One of two requests at the same time was not answered.",
  "stream-not-cut": "Nobody followed the session's events when the reset came, or nothing cut that off.",
  "storage-not-read": "The session's rows in storage were not counted at the end.",
  "taken-twice": "The same request was taken as new more than once.",
  "second-session": "The same job was in more than one session.",
  "opened-by-another": "Another owner's session id opened something.",
  "opened-to-strangers": "Whoever asked without the owner's key was served.",
  "cleared-though-refused": "Something was removed for whoever had been refused.",
  "not-terminal": "The job has no end.",
  "not-answered": "New work by the job record was not answered.",
  "end-not-told": "Whoever followed the events again was not told how the job ended.",
  "still-opens": "The deleted session took work.",
  "left-behind": "Something is left of what was to be gone.",
  "record-enough": "Job, session and owner were enough for all of it.",
} as const;
type Code = keyof typeof CODES;

export const drill = {
  name: "drill",
  asks: "Was the job record enough for an operator's drill?",
  schema,
  codes: CODES,
  undecided: (code) => ({
    value: "unknown",
    code,
    evidence: [],
    job: "none",
    otherOwner: "untested",
    left: "unknown",
  }),
  judge: judgeDrill,
  said: (one) => [{ words: drillLine(one), code: one.code, evidence: one.evidence }],
  expected: {
    drill: expectedWord(Value),
    jobStatus: { schema: JobStatus, words: ({ job }) => [job] },
    otherOwner: { schema: OtherOwner, words: ({ otherOwner }) => [otherOwner] },
    left: { schema: Left, words: ({ left }) => [left] },
  },
  columns: [],
  note: (answers) => {
    const told = answers.filter(({ value }) => value !== "not-applicable");
    return told.length === 0 ? [] : [`drill ${agreedInLine(told.map(drillLine))}`];
  },
  counted: {
    /** What a drill came to, in one line. */
    drill: counted({
      schema: Tally,
      of: (count: Counter<DrillAnswer>) => count.tally(drillLine),
      asked: { question: "drill passed?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<DrillAnswer>;

/** E.g. `passed · job done · other owner's id refused · left nothing`. */
function drillLine({ value, job, otherOwner, left }: DrillAnswer): string {
  if (value === "not-applicable") return value;
  const gone = left === "untested" ? [] : [`left ${left}`];
  return [value, `job ${job}`, `other owner's id ${otherOwner}`, ...gone].join(" · ");
}

function judgeDrill(file: CaseFile): DrillAnswer {
  const level = file.spec.factors.drill;
  const jobs = file.of("job.recorded");
  const last = jobs.at(-1);
  const others = file.of("operator.acted").filter(({ as, act }) => as === "other-owner" && isOpening(act));
  const opened = others.filter(({ outcome }) => outcome === "done");
  const clears = level === undefined ? [] : drillTraits(level).clears;
  const { left, records } = leftOf(file, clears);
  const say = (value: DrillAnswer["value"], code: Code, ...by: Deciding[]): DrillAnswer => ({
    ...answer(value, code, ...by),
    job: last?.status ?? "none",
    otherOwner: opened.length > 0 ? "opened" : others.length > 0 ? "refused" : "untested",
    left,
  });
  if (level === undefined) return say("not-applicable", "no-drill", file.ended);
  if (last === undefined) return say("unknown", "job-not-recorded", file.ended);
  const { followsUp, followsEvents, asksTwice } = drillTraits(level);

  const submitted = file.of("operation.submitted");
  const taken = submitted.filter(({ accepted }) => accepted === true);
  const sessions = new Set(submitted.filter(({ error }) => error === null).map(({ session }) => session));
  if (sessions.size > 1) return say("failed", "second-session", submitted);
  if (taken.length > 1) return say("failed", "taken-twice", taken);
  if (opened.length > 0) return say("failed", "opened-by-another", opened);
  const strangers = file.of("operator.acted").filter(({ as, act }) => as !== "owner" && !isOpening(act));
  const served = strangers.filter(({ outcome }) => outcome === "done");
  if (served.length > 0) return say("failed", "opened-to-strangers", served);
  const removed = removedBefore(file, strangers.at(-1));
  if (removed.length > 0) return say("failed", "cleared-though-refused", strangers, removed);
  const reopened = file
    .of("operator.acted")
    .find(({ as, act, outcome }) => as === "owner" && isOpening(act) && outcome === "done");
  if (reopened !== undefined) return say("failed", "still-opens", deletionOf(file), reopened);

  if (file.stopped) return say("unknown", "trial-stopped", last, file.ended);
  const stray = [...file.of("operator.acted"), ...file.of("stream.read")].filter(
    ({ seq, because }) => jobs.findLast((job) => job.seq < seq)?.seq !== because,
  );
  if (stray.length > 0) return say("unknown", "not-by-record", stray);
  const doubled = file.of("operation.submitted").filter(({ purpose }) => purpose === "at-once");
  if (asksTwice && (doubled.length === 0 || submitted.some(({ accepted }) => accepted === null)))
    return say("unknown", "not-both-answered", submitted);
  const cut = streamCut(file);
  if (followsEvents && cut === undefined) return say("unknown", "stream-not-cut", last, file.ended);
  if (left === "unknown") return say("unknown", "storage-not-read", file.collect.schema ?? file.ended);

  if (last.status === "submitted") return say("failed", "not-terminal", last, file.ended);
  const answered = file.of("probe.settled")[0];
  if (followsUp && answered?.status !== "done") return say("failed", "not-answered", file.probe, answered);
  const read = file.of("stream.read").at(-1);
  if (followsEvents && !isToldOfEnd(read)) return say("failed", "end-not-told", cut, read);
  if (left !== "nothing" && left !== "untested") return say("failed", "left-behind", records);
  return say("passed", "record-enough", last, submitted, others, answered, cut, read, records);
}

function isOpening(act: JournalRecord<"operator.acted">["act"]): boolean {
  return act === "open-session";
}

/** What an owner's request alone may bring about, and came before the last request of a stranger was answered. */
function removedBefore(file: CaseFile, last: { readonly act: string; readonly seq: number } | undefined) {
  if (last === undefined) return [];
  const own = file
    .of("operator.acted")
    .filter(({ as, outcome, seq }) => as === "owner" && outcome === "done" && seq < last.seq);
  const had = (act: string) => own.some((one) => one.act === act);
  return [
    ...file
      .of("executor.ended")
      .filter(({ cause, seq }) => cause === "deleted" && seq < last.seq && !had("delete-executor")),
    ...file.of("workspace.cleared").filter(({ seq }) => seq < last.seq && !had("clear-snapshots")),
  ];
}

/** What shows that somebody who followed the events was cut off from them. */
function streamCut(file: CaseFile): JournalRecord | undefined {
  return (
    file.of("request.ended").find(({ end }) => end === "failed") ??
    file.resets.find(({ performed: { reset } }) => reset === "stream-lost")?.performed
  );
}

/** By an event, or by what the events begin with: nothing under way, and what was said. */
function isToldOfEnd(read: JournalRecord<"stream.read"> | undefined): boolean {
  if (read === undefined) return false;
  return read.end !== null || (read.pending === false && read.messages > 0);
}

/** What is left of what was to be gone, and the records that show it. */
function leftOf(
  file: CaseFile,
  clears: readonly ("executor" | "snapshots" | "session-record")[],
): { readonly left: DrillAnswer["left"]; readonly records: readonly JournalRecord[] } {
  if (clears.length === 0) return { left: "untested", records: [] };
  const ended = file.of("executor.ended");
  const running = file
    .of("executor.started")
    .filter(({ executor, pid }) => !ended.some((one) => one.executor === executor && one.pid === pid));
  const cleared = file.of("workspace.cleared");
  const stored = file
    .of("workspace.stored")
    .filter(
      ({ snapshot }) => snapshot !== null && !cleared.some(({ snapshots }) => snapshots.includes(snapshot)),
    );
  const { schema } = file.collect;
  const rows = sessionRows(file);
  if (clears.includes("session-record") && rows === null) return { left: "unknown", records: [] };
  const there: Readonly<Record<(typeof clears)[number], readonly JournalRecord[]>> = {
    executor: running,
    snapshots: stored,
    "session-record": rows === 0 || schema === null ? [] : [schema],
  };
  const left = clears.filter((what) => there[what].length > 0);
  const [only] = left;
  return {
    left: only === undefined ? "nothing" : left.length > 1 ? "several" : only,
    records:
      only === undefined
        ? [...ended, ...cleared, ...(clears.includes("session-record") && schema !== null ? [schema] : [])]
        : left.flatMap((what) => there[what]),
  };
}
