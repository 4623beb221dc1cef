/**
 * A judged run of `upgrade` in, what the upgrade changes out: each way held against the way that has the same code after its
 * reset, so that what differs comes of the state that the other code left. Pure.
 *
 * A time makes a difference only where each side has three valid trials or more: fewer lie apart by chance. What was not
 * measured, or not judged, is no answer.
 */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import { compareRuns } from "./compare-runs.ts";
import type { Comparison } from "./comparison.ts";
import { losesRows, type Stored, type StoredChange, storedChanges } from "./stored-changes.ts";
import { type RunToSummarize, summarize } from "./summarize.ts";
import {
  type Sign,
  UPGRADE_SCHEMA,
  type UpgradeComparison,
  type UpgradeFinding,
} from "./upgrade-comparison.ts";
import { WAYS, type Way, wayOf } from "./upgrade-ways.ts";

export type UpgradeRun = RunToSummarize & {
  readonly pair: { readonly from: string; readonly to: string };
  /** By trial; none for a trial without any reading. */
  readonly stored: ReadonlyMap<string, Stored>;
};

/** Which way each is held against, and the question that it answers. */
const QUESTIONS = {
  upgrade: { way: "under-b", against: "under-a" },
  inFlight: { way: "in-flight", against: "under-b" },
  back: { way: "back", against: "under-a" },
} as const satisfies Record<keyof UpgradeComparison["answers"], { way: Way; against: Way }>;

const TIMED_TRIALS_MIN = 3;

export function compareUpgrade(run: UpgradeRun): UpgradeComparison {
  const parts = new Map(WAYS.map((way) => [way, partOf(run, way)]));
  const summaries = new Map([...parts].map(([way, part]) => [way, summarize(part)]));
  const summaryOf = (way: Way) => summaries.get(way) ?? summarize({ ...run, trials: [], missing: [] });
  const storedOf = (way: Way) =>
    (parts.get(way)?.trials ?? []).flatMap(({ verdict }) => run.stored.get(verdict.trial ?? "") ?? []);
  const compared = (key: keyof typeof QUESTIONS) => {
    const { way, against } = QUESTIONS[key];
    const comparison = withoutLoneTimes(
      compareRuns(summaryOf(against), summaryOf(way), { commonOnly: true }),
    );
    const stored = storedOf(way);
    const changes = storedChanges(storedOf(against), stored);
    const signs = signsOf(parts.get(way), parts.get(against));
    const loses = losesRows(changes) || signs.length > 0;
    const unread = isUnread(parts.get(way)) && !isUnread(parts.get(against));
    const answer = answerOf(comparison, parts.get(way), parts.get(against), { stored, loses, unread });
    const crashLoops = crashLoopsOf(parts.get(way), parts.get(against));
    return { comparison, signs, crashLoops, changes, answer, refusals: refusalsOf(stored) };
  };
  const [upgrade, inFlight, back] = [compared("upgrade"), compared("inFlight"), compared("back")];
  return {
    schema: UPGRADE_SCHEMA,
    run: run.run,
    experiment: run.experiment,
    sets: run.pair,
    environment: upgrade.comparison.environment.filter(({ what }) => !/^(set|nextSet)\./.test(what)),
    comparisons: { upgrade: upgrade.comparison, inFlight: inFlight.comparison, back: back.comparison },
    signs: { upgrade: upgrade.signs, inFlight: inFlight.signs, back: back.signs },
    crashLoops: { upgrade: upgrade.crashLoops, inFlight: inFlight.crashLoops, back: back.crashLoops },
    storage: { upgrade: upgrade.changes, inFlight: inFlight.changes, back: back.changes },
    refusals: { inFlight: inFlight.refusals, back: back.refusals },
    answers: { upgrade: upgrade.answer, inFlight: inFlight.answer, back: back.answer },
  };
}

/** The findings of a comparison: one for each condition and question that differ, and those of what is stored. */
export function findingsOf({ comparisons, signs, storage }: UpgradeComparison): UpgradeFinding[] {
  const ofConditions = Object.entries(comparisons).flatMap(([of, { conditions }]) =>
    conditions.flatMap(({ condition, canary, kinds }) =>
      canary ? [] : kinds.map((question) => ({ of: of as UpgradeFinding["of"], condition, question })),
    ),
  );
  const ofSigns = Object.entries(signs).flatMap(([of, found]) =>
    found.map(({ condition, finding }) => ({
      ...{ of: of as UpgradeFinding["of"], condition, question: signQuestion(finding.code) },
    })),
  );
  const ofStorage = Object.entries(storage).flatMap(([of, changes]) =>
    changes.flatMap((change) =>
      storedQuestions(change).map((question) => ({
        ...{ of: of as UpgradeFinding["of"], condition: storageOf(change.subject), question },
      })),
    ),
  );
  return [...ofConditions, ...ofSigns, ...ofStorage];
}

export function signQuestion(code: string): string {
  return `sign ${code}`;
}

/** What stands in a finding for the condition, where the finding is about all that a subject has stored. */
export function storageOf(subject: string): string {
  return `storage of ${subject}`;
}

/** What of a change of what is stored makes a difference, as questions of findings. */
export function storedQuestions({ emptied, undecodable }: StoredChange): string[] {
  return [
    ...emptied.map(({ table }) => `emptied ${table}`),
    ...(undecodable.length === 0 ? [] : ["undecodable"]),
  ];
}

type Part = RunToSummarize;

/** Findings of a trial that say that something which was there is not there any more. */
const SIGNS_OF_LOSS: ReadonlySet<string> = new Set([
  "marker-gone",
  "known-operation-accepted-as-new",
  "log-differs-from-look",
  "log-cursor-aliased",
  "log-read-on-differs",
  "session-moved",
  "readings-differ",
]);

/** Findings that say that new activations cannot read what is stored. */
const UNREAD: ReadonlySet<string> = new Set(["schema-unreadable", "store-unreadable"]);

function isUnread(part: Part | undefined): boolean {
  return (part?.trials ?? []).some(
    ({ verdict, spec }) =>
      spec?.canary === false &&
      verdict.validity.value === "valid" &&
      verdict.findings.some(({ code }) => UNREAD.has(code)),
  );
}

type CrashLoops = UpgradeComparison["crashLoops"]["upgrade"];

/** By condition: the first crash loop of its valid trials, where the reference has none. */
function crashLoopsOf(part: Part | undefined, reference: Part | undefined): CrashLoops {
  const loopsIn = (one: Part | undefined) =>
    (one?.trials ?? []).flatMap(({ verdict, spec }) => {
      const { condition, validity, stuck } = verdict;
      if (condition === null || spec?.canary !== false || validity.value !== "valid") return [];
      return stuck.crashes === undefined ? [] : [{ condition, crashes: stuck.crashes }];
    });
  const known = new Set(loopsIn(reference).map(({ condition }) => condition));
  return [...Map.groupBy(loopsIn(part), ({ condition }) => condition)].flatMap(([condition, loops]) => {
    const [first] = loops;
    return first === undefined || known.has(condition) ? [] : [{ ...first, trials: loops.length }];
  });
}

/** By condition and code: what some valid trial of the one part shows, and none of the other. */
function signsOf(part: Part | undefined, reference: Part | undefined): Sign[] {
  const known = new Set(lossesIn(reference).map(({ condition, finding }) => keyOf(condition, finding.code)));
  const found = Map.groupBy(lossesIn(part), ({ condition, finding }) => keyOf(condition, finding.code));
  return [...found].flatMap(([key, all]) => {
    const [first] = all;
    return first === undefined || known.has(key) ? [] : [{ ...first, trials: all.length }];
  });
}

function keyOf(condition: string, code: string): string {
  return JSON.stringify([condition, code]);
}

/** One for each trial and code. */
function lossesIn(part: Part | undefined): Omit<Sign, "trials">[] {
  return (part?.trials ?? []).flatMap(({ verdict, spec }) => {
    const { condition, validity, findings } = verdict;
    if (condition === null || spec?.canary !== false || validity.value !== "valid") return [];
    const losses = findings.filter(({ code }) => SIGNS_OF_LOSS.has(code));
    const firsts = new Map(losses.toReversed().map((one) => [one.code, one]));
    return [...firsts.values()].toReversed().map((one) => ({ condition, finding: one }));
  });
}

/** The trials of one way, under the names that their conditions have in the experiment. */
function partOf(run: UpgradeRun, way: Way): Part {
  const own = <T extends { condition: string | null }>(one: T): T[] => {
    const named = one.condition === null ? null : wayOf(one.condition);
    return named?.way === way ? [{ ...one, condition: named.condition }] : [];
  };
  const trials = run.trials.flatMap((trial) => own(trial.verdict).map((verdict) => ({ ...trial, verdict })));
  return {
    run: `${run.run} (${way})`,
    experiment: run.experiment,
    // What the set says that it is: a run of `upgrade` has more than one host.
    host:
      trials.find(({ environment }) => environment?.set !== undefined)?.environment?.set?.host ?? run.host,
    trials,
    missing: run.missing.flatMap(own),
  };
}

function answerOf(
  { conditions, differs }: Comparison,
  part: Part | undefined,
  reference: Part | undefined,
  {
    stored,
    loses,
    unread,
  }: { readonly stored: readonly Stored[]; readonly loses: boolean; readonly unread: boolean },
): UpgradeComparison["answers"]["upgrade"] {
  const ordinary = conditions.filter(({ canary }) => !canary);
  if ((part?.trials.length ?? 0) === 0) return "not-measured";
  if (unread) return "unreadable";
  if (ordinary.length === 0)
    return stored.some((one) => one.refusals.some((text) => namesTable(text, one)))
      ? "unreadable"
      : "unknown";
  if (differs || loses) return "differs";
  const open = [part, reference].some(
    (one) =>
      one !== undefined &&
      (one.missing.length > 0 || one.trials.some(({ verdict }) => verdict.validity.value === "invalid")),
  );
  return open ? "unknown" : "same";
}

/** Whether an error speaks of a table that lies in the storage, under its own name or with the prefix of a harness. */
function namesTable(text: string, { schema }: Stored): boolean {
  const quoted = [...text.matchAll(/["'`]([A-Za-z_][A-Za-z0-9_]*)["'`]/g)].map(([, name]) => name);
  const tables = (schema?.tables ?? []).map(({ name }) => name);
  return quoted.some((name) => tables.some((table) => table === name || table.endsWith(`_${name}`)));
}

function withoutLoneTimes(comparison: Comparison): Comparison {
  const conditions = comparison.conditions.map((one) => {
    const counted = Math.min(one.valid.a, one.valid.b) >= TIMED_TRIALS_MIN;
    const times = one.times.map((time) => ({ ...time, differs: time.differs && counted }));
    const differs =
      one.kinds.length > 0 ||
      one.tests.some(({ significant }) => significant) ||
      times.some((time) => time.differs);
    return { ...one, times, differs };
  });
  return { ...comparison, conditions, differs: conditions.some(({ differs }) => differs) };
}

function refusalsOf(stored: readonly Stored[]): string[] {
  return [...new Set(stored.flatMap(({ refusals }) => refusals))].sort(byCodeUnit);
}
