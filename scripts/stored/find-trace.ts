/**
 * What a reader means: a run or a trace by its path, or either by its id, as they are named in what a run prints. Every command
 * that reads stored traces asks here.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../base/user-error.ts";
import { isStored, noTracesIn, openStored, type StoredTraces, type TraceFile } from "./stored-traces.ts";
import { trialNameOf } from "./trace-names.ts";

/** How a run or a trace that lies under its id may be called. */
const RUN_ENDINGS = ["", ".tgz", ".tar.gz", ".zip"];
const TRACE_ENDINGS = [".jsonl", ".jsonl.gz"];

/**
 * The folder, trace or archive that a reader names: a path, the id of a run under `traces`, or the id of a trial of one of
 * those runs.
 *
 * @throws UserError when there is none of them, or several trials of that id.
 */
export function findStored(named: string, traces: string): string {
  if (isStored(named)) return named;
  const run = isId(named)
    ? RUN_ENDINGS.map((ending) => join(traces, `${named}${ending}`)).find(isStored)
    : undefined;
  if (run !== undefined) return run;
  const trials = isId(named) ? trialsCalled(named, traces) : [];
  const [trial] = trials;
  if (trial === undefined)
    throw new UserError(`there is no '${named}', and no run or trial of that name in '${traces}'`);
  if (trials.length > 1)
    throw new UserError(`there are several trials '${named}': name one of ${trials.join(", ")}`);
  return trial;
}

/** What `findStored` finds, opened. */
export async function openNamed(named: string, traces: string): Promise<StoredTraces> {
  return await openStored(findStored(named, traces));
}

/**
 * The trace of a trial. `trial` is its id, or its number in the run; a run of one trial needs none.
 *
 * @throws UserError when nothing fits, with what there is.
 */
export async function findTrace(
  named: string,
  trial: string | undefined,
  traces: string,
): Promise<TraceFile> {
  const stored = await openNamed(named, traces);
  const [only] = stored.traces;
  if (only === undefined) throw noTracesIn(stored.path, named);
  if (stored.isOne) {
    if (trial !== undefined) throw new UserError(`'${named}' is one trace, which has no trial '${trial}'`);
    return only;
  }
  const names = stored.traces.map(({ path }) => trialNameOf(path));
  if (trial === undefined) {
    if (names.length === 1) return only;
    throw new UserError(`'${named}' holds ${names.length} trials: say which, for example ${names[0]}`);
  }
  const found =
    stored.traces.find(({ path }) => trialNameOf(path) === trial) ??
    stored.traces.find(({ path }) => isNumbered(trialNameOf(path), trial));
  if (found !== undefined) return found;
  const { plan } = stored;
  const planned = plan === null || typeof plan === "string" ? [] : plan.specs.map((spec) => spec.trial);
  const missing = planned.find((name) => name === trial || isNumbered(name, trial));
  throw new UserError(
    missing === undefined
      ? `'${named}' has no trial '${trial}'; it has ${shortList(names)}`
      : `trial '${missing}' was planned and left no trace; of ${planned.length} planned trials '${named}' has ${names.length}`,
  );
}

function isId(named: string): boolean {
  return !/[/\\]/.test(named) && named !== "." && named !== "..";
}

function trialsCalled(trial: string, traces: string): string[] {
  if (statSync(traces, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(traces, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => TRACE_ENDINGS.map((ending) => join(traces, name, `${trial}${ending}`)))
    .filter(isStored);
}

/** Trials of a run are numbered at the end of their ids, with leading zeros. */
function isNumbered(name: string, number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  const last = /(\d+)$/.exec(name)?.[1];
  return last !== undefined && Number(last) === Number(number);
}

function shortList(names: readonly string[]): string {
  const [first, last] = [names[0], names.at(-1)];
  return names.length <= 3 ? names.join(", ") : `${first} to ${last}`;
}
