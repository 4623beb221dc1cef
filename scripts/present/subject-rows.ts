/**
 * Subjects side by side as data: under each set of levels one row per subject, and sets in which no subject's answers
 * differ become one. Only valid trials enter a cell, canaries stay out. Pure.
 */
import { KnownSubject } from "../../src/harnesses/index.ts";
import type { Verdict } from "../../src/reconcile/verdict.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import { Point } from "../../src/trace/levels.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { NOTHING } from "./numbers.ts";

export const SUBJECT_COLUMNS = [
  "subject",
  "woke",
  "open call",
  "repeat cause",
  "effects",
  "result",
  "activated",
  "progress",
  "settled",
] as const;

type SubjectGroup = {
  /** The levels that its rows share, e.g. `after-commit / abort, kill / append / reissue`. */
  readonly levels: string;
  /** In the order of `SUBJECT_COLUMNS`. */
  readonly rows: readonly (readonly string[])[];
};

type Subject = { readonly subject: string; readonly point: Point; readonly trials: readonly Verdict[] };
type Group = { readonly levels: readonly string[][]; readonly subjects: readonly Subject[] };

/** No groups for a run with fewer than two subjects: there is nothing to compare. */
export function subjectGroups(run: JudgedRun): SubjectGroup[] {
  const trials = run.trials.filter(isComparable);
  if (new Set(trials.map(subjectOf)).size < 2) return [];
  const groups = [...Map.groupBy(trials, levelsOf)].map(
    ([levels, own]): Group => ({
      levels: levels.split("/").map((level) => [level]),
      subjects: [...Map.groupBy(own, subjectOf)]
        .map(([subject, theirs]) => ({
          subject,
          point: theirs[0]?.spec?.factors.point ?? "none",
          trials: theirs.map(({ verdict }) => verdict),
        }))
        .sort((a, b) => placeOf(a.subject) - placeOf(b.subject)),
    }),
  );
  return merged(groups).map(({ levels, subjects }) => ({
    levels: levels.map((alternatives) => alternatives.join(", ")).join(" / "),
    rows: subjects.map((one) => [...answersOf(one), ...timesOf(one.trials)]),
  }));
}

/**
 * What each subject showed the model of the call whose result was lost, each once, e.g. `aborted: "Tool execution
 * interrupted"`. A result needs no words: it is the tool's own.
 */
export function toldWords(run: JudgedRun): readonly { readonly subject: string; readonly told: string }[] {
  const said = run.trials.filter(isComparable).flatMap((trial) => {
    const { value, text, call } = trial.verdict.told;
    if (value === "not-applicable" || value === "unknown") return [];
    const subject = subjectOf(trial);
    if (text === null || call === null || value === "result") return [{ subject, told: value }];
    // The ids of call and trial differ from trial to trial and say nothing.
    const words = text.replaceAll(call, "<call>").replaceAll(trial.spec?.trial ?? call, "<trial>");
    return [{ subject, told: `${value}: "${words.replaceAll(/\s+/g, " ")}"` }];
  });
  const each = new Map(said.map((one) => [JSON.stringify(one), one]));
  return [...each.values()].sort((a, b) => placeOf(a.subject) - placeOf(b.subject));
}

function isComparable({ spec, verdict }: JudgedTrial): boolean {
  return spec !== null && !spec.canary && verdict.validity.value === "valid";
}

function subjectOf({ spec }: JudgedTrial): string {
  return spec?.factors.subject ?? "";
}

/** The condition's name after its subject. */
function levelsOf({ spec }: JudgedTrial): string {
  return (spec?.condition ?? "").replace(`${spec?.factors.subject}/`, "");
}

/** Groups in order of their levels; those with the same answers that differ in one level are put together. */
function merged(groups: readonly Group[]): Group[] {
  const result: Group[] = [];
  for (const group of [...groups].sort(byLevels)) {
    const index = result.findIndex((other) => mayJoin(other, group));
    const other = result[index];
    if (other === undefined) result.push(group);
    else result[index] = joined(other, group);
  }
  // Joining may have made others alike: two policies that do not matter under either of two resets.
  return result.length < groups.length ? merged(result) : result;
}

/** By point as a turn comes to them, then by name. */
function byLevels(a: Group, b: Group): number {
  const place = ({ subjects }: Group) => Point.options.indexOf(subjects[0]?.point ?? "none");
  return place(a) - place(b) || byCodeUnit(nameOf(a), nameOf(b));
}

function nameOf({ levels }: Group): string {
  return levels.map((alternatives) => alternatives.join(",")).join("/");
}

function mayJoin(a: Group, b: Group): boolean {
  const differing = a.levels.filter((level, place) => level.join() !== b.levels[place]?.join());
  // The points are the question: they stay apart even where the answers are the same.
  const samePoint = a.levels[0]?.join() === b.levels[0]?.join();
  return (
    samePoint && a.levels.length === b.levels.length && differing.length === 1 && answers(a) === answers(b)
  );
}

function answers({ subjects }: Group): string {
  return JSON.stringify(subjects.map(answersOf));
}

function joined(a: Group, b: Group): Group {
  return {
    levels: a.levels.map((level, place) => [...new Set([...level, ...(b.levels[place] ?? [])])]),
    subjects: a.subjects.map((one) => ({
      ...one,
      trials: [...one.trials, ...(b.subjects.find(({ subject }) => subject === one.subject)?.trials ?? [])],
    })),
  };
}

/** Everything but the times. */
function answersOf({ subject, point, trials }: Subject): string[] {
  const of = (read: (verdict: Verdict) => string) =>
    [...new Set(trials.map(read))].sort(byCodeUnit).join("\n");
  return [
    subject,
    of(({ autonomous }) => (autonomous.value === "not-applicable" ? NOTHING : autonomous.value)),
    of((verdict) => callOf(verdict, point)),
    of(
      ({ repeats }) => [...new Set(repeats.map(({ cause }) => cause))].sort(byCodeUnit).join(", ") || NOTHING,
    ),
    of(({ operations }) =>
      operations
        .map(({ effects, intended, flags }) => `${effects}/${intended} ${flags.join(" ")}`)
        .join(", "),
    ),
    of(({ rebinding, resets }) => (resets.length === 0 ? NOTHING : rebinding.result)),
  ];
}

/** Points at which a call has taken effect, so that verdicts tell what became of it. */
const ACTED: readonly Point[] = ["after-commit", "after-receipt"];

/** What became of the call in or after which the host was lost; `kept` where its result is still there. */
function callOf({ repeats, callMismatches, openCalls, resets }: Verdict, point: Point): string {
  if (resets.length === 0 || !ACTED.includes(point)) return NOTHING;
  if (repeats.some(({ cause }) => cause === "runtime-replay")) return "run again";
  if (openCalls.length > 0) return "left open";
  if (callMismatches.some(({ recorded }) => recorded === "absent")) return "forgotten";
  if (callMismatches.some(({ recorded, committed }) => recorded === "failed" && committed)) return "failed";
  return "kept";
}

function timesOf(trials: readonly Verdict[]): string[] {
  const of = (read: (timings: Verdict["timings"]) => number | null) =>
    rangeText(trials.map(({ timings }) => read(timings)));
  return [
    of(({ resetToActivationMs }) => resetToActivationMs),
    of(({ resetToProgressMs }) => resetToProgressMs),
    of(({ resetToSettledMs }) => resetToSettledMs),
  ];
}

/** Seconds, least to most. What did not happen while anybody watched is no time. */
function rangeText(values: readonly (number | null)[]): string {
  const seconds = values.flatMap((ms) => (ms === null ? [] : [ms / 1_000]));
  if (seconds.length === 0) return NOTHING;
  const [least, most] = [Math.min(...seconds).toFixed(1), Math.max(...seconds).toFixed(1)];
  return least === most ? least : `${least}–${most}`;
}

/** In the order of the table; a subject that is not plugged in any more comes last. */
function placeOf(subject: string): number {
  const order: readonly string[] = KnownSubject.options;
  const place = order.indexOf(subject);
  return place === -1 ? order.length : place;
}
