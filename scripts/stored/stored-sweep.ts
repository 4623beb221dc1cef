/** The traces of a sweep, judged, with what the map of the turn needs beside the verdicts. */
import { SWEPT_CANARY } from "../../experiments/sweep.ts";
import { type SweptTrial, type TurnMap, turnMaps } from "../../src/summarize/turn-map.ts";
import { UserError } from "../base/user-error.ts";
import { judgeParsed } from "./judge-trace.ts";
import type { StoredTraces } from "./stored-traces.ts";

export type StoredSweep = {
  readonly run: string;
  readonly map: TurnMap;
  /** Of the canary that was swept beside the subject; null where none was. */
  readonly canary: TurnMap | null;
  /** Planned trials that left no trace. */
  readonly missing: readonly string[];
};

/** @throws UserError when they are of no sweep. */
export function sweepOfTraces({ folder, plan, traces }: StoredTraces): StoredSweep {
  const trials = traces.flatMap(({ path, read }): SweptTrial[] => {
    const parsed = read();
    const { spec, verdict } = judgeParsed(path, parsed);
    return spec === null ? [] : [{ spec, verdict, records: parsed.records }];
  });
  const maps = turnMaps(trials);
  const map = maps.find(({ subject }) => subject !== SWEPT_CANARY);
  if (map === undefined || map.points === 0)
    throw new UserError(
      `'${folder}' holds no sweep: trials that count a turn's writes and lose them are needed`,
    );
  const planned = plan === null || typeof plan === "string" ? [] : plan.specs.map(({ trial }) => trial);
  const there = new Set(trials.map(({ spec }) => spec.trial));
  return {
    run: trials[0]?.spec.run ?? folder,
    map,
    canary:
      map.subject === SWEPT_CANARY ? map : (maps.find(({ subject }) => subject === SWEPT_CANARY) ?? null),
    missing: planned.filter((trial) => !there.has(trial)),
  };
}

/**
 * Whether the sweep found the canary's window, which begins when its call has been made and ends when its result is stored: a
 * duplicate in it, and none on either side.
 */
export function isConvicted({ ranges }: TurnMap): boolean {
  const repeats = ranges.map(({ answers }) => answers.effects.includes("duplicate"));
  return repeats.includes(true) && repeats[0] === false && repeats.at(-1) === false;
}
