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
import { UPGRADE_SCHEMA, type UpgradeComparison, type UpgradeFinding } from "./upgrade-comparison.ts";
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
    const answer = answerOf(comparison, parts.get(way), parts.get(against), { stored, changes });
    return { comparison, changes, answer, refusals: refusalsOf(stored) };
  };
  const [upgrade, inFlight, back] = [compared("upgrade"), compared("inFlight"), compared("back")];
  return {
    schema: UPGRADE_SCHEMA,
    run: run.run,
    experiment: run.experiment,
    sets: run.pair,
    environment: upgrade.comparison.environment.filter(({ what }) => !/^(set|nextSet)\./.test(what)),
    comparisons: { upgrade: upgrade.comparison, inFlight: inFlight.comparison, back: back.comparison },
    storage: { upgrade: upgrade.changes, inFlight: inFlight.changes, back: back.changes },
    refusals: { inFlight: inFlight.refusals, back: back.refusals },
    answers: { upgrade: upgrade.answer, inFlight: inFlight.answer, back: back.answer },
  };
}

/** The findings of a comparison: one for each condition and question that differ, and those of what is stored. */
export function findingsOf({ comparisons, storage }: UpgradeComparison): UpgradeFinding[] {
  const ofConditions = Object.entries(comparisons).flatMap(([of, { conditions }]) =>
    conditions.flatMap(({ condition, canary, kinds }) =>
      canary ? [] : kinds.map((question) => ({ of: of as UpgradeFinding["of"], condition, question })),
    ),
  );
  const ofStorage = Object.entries(storage).flatMap(([of, changes]) =>
    changes.flatMap((change) =>
      storedQuestions(change).map((question) => ({
        ...{ of: of as UpgradeFinding["of"], condition: storageOf(change.subject), question },
      })),
    ),
  );
  return [...ofConditions, ...ofStorage];
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
  { stored, changes }: { readonly stored: readonly Stored[]; readonly changes: readonly StoredChange[] },
): UpgradeComparison["answers"]["upgrade"] {
  const ordinary = conditions.filter(({ canary }) => !canary);
  if ((part?.trials.length ?? 0) === 0) return "not-measured";
  if (ordinary.length === 0)
    return stored.some((one) => one.refusals.some((text) => namesTable(text, one)))
      ? "unreadable"
      : "unknown";
  if (differs || losesRows(changes)) return "differs";
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
