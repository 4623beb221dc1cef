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
import { type RunToSummarize, summarize } from "./summarize.ts";
import { UPGRADE_SCHEMA, type UpgradeComparison, type UpgradeFinding } from "./upgrade-comparison.ts";
import { WAYS, type Way, wayOf } from "./upgrade-ways.ts";

/** What a trial's storage and log showed at its end, or at the last moment of which there is a reading. */
export type Stored = {
  readonly tables: readonly string[];
  readonly indexes: readonly string[];
  readonly eventTypes: readonly string[];
  readonly undecodable: readonly string[];
  /** Errors of activations and of the client that came back, after the reset. */
  readonly refusals: readonly string[];
};

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
    union((parts.get(way)?.trials ?? []).flatMap(({ verdict }) => run.stored.get(verdict.trial ?? "") ?? []));
  const compared = (key: keyof typeof QUESTIONS) => {
    const { way, against } = QUESTIONS[key];
    const comparison = withoutLoneTimes(
      compareRuns(summaryOf(against), summaryOf(way), { commonOnly: true }),
    );
    return { comparison, answer: answerOf(comparison, parts.get(way), parts.get(against), storedOf(way)) };
  };
  const [upgrade, inFlight, back] = [compared("upgrade"), compared("inFlight"), compared("back")];
  const [a, b] = [storedOf("under-a"), storedOf("under-b")];
  return {
    schema: UPGRADE_SCHEMA,
    run: run.run,
    experiment: run.experiment,
    sets: run.pair,
    environment: upgrade.comparison.environment.filter(({ what }) => !/^(set|nextSet)\./.test(what)),
    comparisons: { upgrade: upgrade.comparison, inFlight: inFlight.comparison, back: back.comparison },
    storage: {
      tables: changed(a.tables, b.tables),
      indexes: changed(a.indexes, b.indexes),
      eventTypes: changed(a.eventTypes, b.eventTypes),
      leftOver: changed(b.tables, storedOf("in-flight").tables),
      undecodable: {
        inFlight: [...storedOf("in-flight").undecodable],
        back: [...storedOf("back").undecodable],
      },
    },
    refusals: { inFlight: [...storedOf("in-flight").refusals], back: [...storedOf("back").refusals] },
    answers: { upgrade: upgrade.answer, inFlight: inFlight.answer, back: back.answer },
  };
}

/** The findings of a comparison, one for each condition and question that differ. */
export function findingsOf({ comparisons }: UpgradeComparison): UpgradeFinding[] {
  return Object.entries(comparisons).flatMap(([of, { conditions }]) =>
    conditions.flatMap(({ condition, canary, kinds }) =>
      canary ? [] : kinds.map((question) => ({ of: of as UpgradeFinding["of"], condition, question })),
    ),
  );
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
  stored: Stored,
): UpgradeComparison["answers"]["upgrade"] {
  const ordinary = conditions.filter(({ canary }) => !canary);
  if ((part?.trials.length ?? 0) === 0) return "not-measured";
  if (ordinary.length === 0)
    return stored.refusals.some((text) => namesTable(text, stored)) ? "unreadable" : "unknown";
  if (differs) return "differs";
  const open = [part, reference].some(
    (one) =>
      one !== undefined &&
      (one.missing.length > 0 || one.trials.some(({ verdict }) => verdict.validity.value === "invalid")),
  );
  return open ? "unknown" : "same";
}

/** Whether an error speaks of a table that lies in the storage, under its own name or with the prefix of a harness. */
function namesTable(text: string, { tables }: Stored): boolean {
  const quoted = [...text.matchAll(/["'`]([A-Za-z_][A-Za-z0-9_]*)["'`]/g)].map(([, name]) => name);
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

function union(all: readonly Stored[]): Stored {
  const of = (read: (one: Stored) => readonly string[]) => [...new Set(all.flatMap(read))].sort(byCodeUnit);
  return {
    tables: of(({ tables }) => tables),
    indexes: of(({ indexes }) => indexes),
    eventTypes: of(({ eventTypes }) => eventTypes),
    undecodable: of(({ undecodable }) => undecodable),
    refusals: of(({ refusals }) => refusals),
  };
}

function changed(a: readonly string[], b: readonly string[]) {
  return { gone: a.filter((one) => !b.includes(one)), new: b.filter((one) => !a.includes(one)) };
}
