/**
 * The map of a turn: where in it a loss has which consequences. Crash points stand in the order of the writes; neighbours with equal
 * answers are one range. A point that was not come to, or whose trial is invalid, belongs to no range and is named.
 *
 * What the harness does at a point is told by the trial of that point itself: what the outside had seen when the object was lost.
 */
import { z } from "zod";
import type { Verdict } from "../reconcile/verdict.ts";
import { Count, Millis } from "../trace/ids.ts";
import { type JournalRecord, ofType } from "../trace/records.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { isSameAct, NumberedWrite, WritePlace } from "../trace/writes.ts";

/** How far the turn had come, as everybody but the object saw it: the furthest that was reached, in the order of a turn. */
const PROGRESS = {
  "handing-in": "the submission is not answered",
  accepted: "the operation is accepted, the model not asked",
  asked: "the model is asked",
  "call-asked-for": "the model has asked for the call, the ledger has no attempt",
  received: "the ledger has the attempt, no effect",
  committed: "the effect has happened, its receipt is not sent",
  "receipt-sent": "the receipt is sent, the model not asked again",
  "asked-again": "the model is asked again",
  answered: "the model has given its last answer",
} as const;
export const Progress = z.enum(Object.keys(PROGRESS) as (keyof typeof PROGRESS)[]);
export type Progress = z.infer<typeof Progress>;

export function progressText(progress: Progress): string {
  return PROGRESS[progress];
}

export const TurnAnswers = z.strictObject({
  session: z.string(),
  execution: z.string(),
  effects: z.string(),
  told: z.string(),
  stuck: z.string(),
});
export type TurnAnswers = z.infer<typeof TurnAnswers>;

const CrashPoint = z.strictObject({
  place: WritePlace,
  trial: z.string(),
  progress: Progress.nullable(),
  /** Null where the trial is invalid. */
  answers: TurnAnswers.nullable(),
  /** Why it is in no range; null where it is. */
  why: z.string().nullable(),
  /** The number that the write had in its own trial, where it came to it. */
  number: Count.nullable(),
});
export type CrashPoint = z.infer<typeof CrashPoint>;

/** A point with a name, by what was written when it was reached. */
const NamedPoint = z.strictObject({
  point: z.string(),
  trial: z.string(),
  /** The last write before it; null where that was not recorded. */
  after: Count.nullable(),
  answers: TurnAnswers.nullable(),
});
export type NamedPoint = z.infer<typeof NamedPoint>;

const Range = z.strictObject({
  from: WritePlace,
  to: WritePlace,
  answers: TurnAnswers,
  begins: Progress.nullable(),
  ends: Progress.nullable(),
  /** Crash points that were tried in it. */
  points: Count,
  writes: Count,
  groups: Count,
  /** From its first write to the first one of the next range, as the turn was counted. */
  ms: Millis,
  /** Tables that it writes. */
  tables: z.array(z.string()),
  /** The trial of its first point. */
  trial: z.string(),
  /** Points with a name that lie in it, with its answers. */
  named: z.array(z.string()),
});
export type Range = z.infer<typeof Range>;

export const TurnMap = z.strictObject({
  subject: z.string(),
  policy: z.string(),
  destination: z.string(),
  writes: z.array(NumberedWrite),
  groups: Count,
  /** Where two counted turns differ first; null where they write the same in the same order. */
  differsAt: Count.nullable(),
  ranges: z.array(Range),
  /** Crash points that are in no range. */
  left: z.array(CrashPoint),
  points: Count,
  /** Points at which the write came under another number than it was counted under. */
  moved: Count,
  named: z.array(NamedPoint),
});
export type TurnMap = z.infer<typeof TurnMap>;

/** A judged trial of a sweep, with its journal. */
export type SweptTrial = {
  readonly spec: TrialSpec;
  readonly verdict: Verdict;
  readonly records: readonly JournalRecord[];
};

/** The maps of a sweep's trials, one for each subject whose turn was counted. */
export function turnMaps(trials: readonly SweptTrial[]): TurnMap[] {
  const bySubject = Map.groupBy(trials, ({ spec }) => spec.factors.subject);
  return [...bySubject.values()].flatMap((own) => {
    const counted = own.filter(({ spec }) => spec.factors.point === "none").map(writesOf);
    const [first] = counted;
    return first === undefined ? [] : [turnMap(own, first, counted)];
  });
}

/** What a counting trial recorded; empty where it recorded nothing. */
export function writesOf({ records }: Pick<SweptTrial, "records">): NumberedWrite[] {
  return ofType(records, "writes.numbered").flatMap(({ writes }) => writes);
}

function turnMap(
  own: readonly SweptTrial[],
  writes: readonly NumberedWrite[],
  counted: readonly (readonly NumberedWrite[])[],
): TurnMap {
  const [example] = own;
  if (example === undefined) throw new Error("a map needs trials");
  const { subject, policy, destination } = example.spec.factors;
  const points = own.flatMap((trial) => crashPointOf(trial) ?? []).toSorted(inOrderOf(writes));
  const named = own.flatMap((trial) => namedPointOf(trial, writes) ?? []);
  return {
    ...{ subject, policy, destination, named },
    writes: [...writes],
    groups: groupsOf(writes),
    differsAt: firstDifference(counted),
    ranges: placed(rangesOf(points, writes), named),
    left: points.filter(({ why }) => why !== null),
    points: points.length,
    moved: points.filter(({ number, place }) => number !== null && number !== place.number).length,
  };
}

/** Neighbours with equal answers, as one range each. */
export function rangesOf(points: readonly CrashPoint[], writes: readonly NumberedWrite[]): Range[] {
  const runs: [CrashPoint, ...CrashPoint[]][] = [];
  for (const point of points) {
    if (point.answers === null || point.why !== null) continue;
    const last = runs.at(-1);
    if (last !== undefined && sameAnswers(last[0].answers, point.answers)) last.push(point);
    else runs.push([point]);
  }
  return runs.map((run, index) => {
    const [first] = run;
    const last = run.at(-1) ?? first;
    const next = runs[index + 1]?.[0].place;
    const within = writes.filter(({ number }) => number >= first.place.number && number <= last.place.number);
    const { answers } = first;
    if (answers === null) throw new Error("a range is of points with answers");
    return {
      from: first.place,
      to: last.place,
      answers,
      begins: first.progress,
      ends: last.progress,
      points: run.length,
      writes: within.length,
      groups: groupsOf(within),
      ms: Math.max(0, timeOf(writes, next?.number ?? last.place.number) - timeOf(writes, first.place.number)),
      tables: [...new Set(within.flatMap(({ table }) => table ?? []))],
      trial: first.trial,
      named: [],
    };
  });
}

/**
 * Each point with a name into the range that it stands for. With write 4 behind it and nothing since, it lies between the loss after
 * write 4 and the loss before write 5. The storage is the same there and the outside moves on, so it belongs to the one that has its
 * answers, if either has.
 */
function placed(ranges: readonly Range[], named: readonly NamedPoint[]): Range[] {
  const homes = named.map(({ after, answers }) => {
    const at = after === null ? Number.NaN : after + 0.5;
    return ranges.find(
      (range) =>
        positionOf(range.from) <= at && at <= positionOf(range.to) && sameAnswers(answers, range.answers),
    );
  });
  return ranges.map((range) => ({
    ...range,
    named: named.flatMap(({ point }, index) => (homes[index] === range ? [point] : [])),
  }));
}

/** Before write 2 the storage is what it is after write 1. */
function positionOf({ number, side }: Pick<WritePlace, "number" | "side">): number {
  return side === "before" ? number - 0.5 : number + 0.5;
}

function timeOf(writes: readonly NumberedWrite[], number: number): number {
  return writes.find((write) => write.number === number)?.msSinceSubmit ?? 0;
}

function groupsOf(writes: readonly NumberedWrite[]): number {
  return new Set(writes.map(({ group }) => group)).size;
}

function sameAnswers(a: TurnAnswers | null, b: TurnAnswers): boolean {
  return a !== null && TurnAnswers.keyof().options.every((question) => a[question] === b[question]);
}

function sameWrite(a: NumberedWrite | undefined, b: NumberedWrite | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSameAct(a, b);
}

/** By commit group: losses before any of its writes leave what one before its first leaves, and so with those after. */
function inOrderOf(writes: readonly NumberedWrite[]): (a: CrashPoint, b: CrashPoint) => number {
  const group = ({ place }: CrashPoint) => writes[place.number - 1]?.group ?? Number.POSITIVE_INFINITY;
  const side = ({ place }: CrashPoint) => (place.side === "before" ? 0 : 1);
  return (a, b) =>
    (group(a) === group(b) ? side(a) - side(b) : group(a) - group(b)) || a.place.number - b.place.number;
}

/** The number of the first write that is another one in another counting of the turn; null where none is. */
export function firstDifference(counted: readonly (readonly NumberedWrite[])[]): number | null {
  const [first = [], ...others] = counted;
  const length = Math.max(...counted.map((writes) => writes.length), 0);
  for (let index = 0; index < length; index++)
    if (others.some((other) => !sameWrite(first[index], other[index]))) return index + 1;
  return null;
}

function crashPointOf({ spec, verdict, records }: SweptTrial): CrashPoint | null {
  const { write: place } = spec.factors;
  if (place === undefined) return null;
  const performed = ofType(records, "reset.performed")[0];
  const lost = performed?.write;
  const [reason] = verdict.validity.reasons;
  const isValid = verdict.validity.value === "valid";
  return {
    place,
    trial: spec.trial,
    progress: performed === undefined ? null : progressBefore(records, performed.seq),
    answers: isValid ? answersOf(verdict) : null,
    why: isValid ? null : (reason?.code ?? "invalid"),
    number: lost?.number ?? null,
  };
}

function namedPointOf(
  { spec, verdict, records }: SweptTrial,
  writes: readonly NumberedWrite[],
): NamedPoint | null {
  const { point } = spec.factors;
  if (point === "none" || point === "write") return null;
  // The last one that was counted too, under the number that it was counted under.
  const after = writesOf({ records }).flatMap((own) => writes.find((one) => isSameAct(one, own)) ?? []);
  return {
    point,
    trial: spec.trial,
    after: after.at(-1)?.number ?? null,
    answers: verdict.validity.value === "valid" ? answersOf(verdict) : null,
  };
}

export function answersOf(verdict: Verdict): TurnAnswers {
  const made = verdict.operations.reduce((sum, { effects }) => sum + effects, 0);
  const intended = verdict.operations.reduce((sum, one) => sum + one.intended, 0);
  const flags = [...new Set(verdict.operations.flatMap((one) => one.flags))].sort();
  return {
    session: verdict.session.value,
    execution: verdict.execution.value,
    effects: `${made}/${intended} ${flags.join("+")}`,
    told: verdict.told.value,
    stuck: verdict.stuck.value,
  };
}

/** How far the turn had come when the record `seq` was written. */
function progressBefore(records: readonly JournalRecord[], seq: number): Progress {
  const before = records.filter((record) => record.seq < seq);
  const asked = ofType(before, "model.requested").filter(({ purpose }) => purpose === "turn");
  const answered = ofType(before, "model.answered").filter(({ purpose }) => purpose === "turn");
  const has = (type: "attempt.received" | "effect.committed" | "receipt.sent") =>
    before.some((record) => record.type === type);
  if (answered.some(({ finish }) => finish === "stop")) return "answered";
  if (asked.length > 1) return "asked-again";
  if (has("receipt.sent")) return "receipt-sent";
  if (has("effect.committed")) return "committed";
  if (has("attempt.received")) return "received";
  if (answered.length > 0) return "call-asked-for";
  if (asked.length > 0) return "asked";
  const submitted = ofType(before, "operation.submitted")[0];
  return submitted?.accepted === true ? "accepted" : "handing-in";
}
