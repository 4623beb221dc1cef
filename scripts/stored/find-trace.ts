/** Which trace a reader means: by its file, or by a run and one of its trials, as they are named in what a run prints. */
import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../base/user-error.ts";
import { isTraceName } from "./judge-run.ts";

/**
 * The folder or file that a reader names: a path, or the id of a run under `traces`.
 *
 * @throws UserError when there is neither.
 */
export function findStored(named: string, traces: string): string {
  const found = [named, join(traces, named)].find((path) => existsSync(path));
  if (found === undefined)
    throw new UserError(`there is neither '${named}' nor a run of that name in '${traces}'`);
  return found;
}

/**
 * The trace of a trial. `trial` is its id, or its number in the run; a run of one trial needs none.
 *
 * @throws UserError when nothing fits, with what there is.
 */
export async function findTrace(named: string, trial: string | undefined, traces: string): Promise<string> {
  const path = findStored(named, traces);
  if (!statSync(path).isDirectory()) {
    if (!isTraceName(path))
      throw new UserError(`'${named}' is not a trace: give a .jsonl trace, or a run and a trial`);
    if (trial !== undefined) throw new UserError(`'${named}' is one trace, which has no trial '${trial}'`);
    return path;
  }
  const names = (await readdir(path)).filter(isTraceName).sort();
  const [only] = names;
  if (only === undefined) throw new UserError(`'${named}' holds no traces (*.jsonl)`);
  if (trial === undefined) {
    if (names.length === 1) return join(path, only);
    throw new UserError(
      `'${named}' holds ${names.length} trials: say which, for example ${only.replace(/\.jsonl$/, "")} or 1`,
    );
  }
  const name = names.find((one) => one === `${trial}.jsonl`) ?? names.find((one) => isNumbered(one, trial));
  if (name === undefined)
    throw new UserError(
      `'${named}' has no trial '${trial}'; its ${names.length} are ${shortList(names.map((one) => one.replace(/\.jsonl$/, "")))}`,
    );
  return join(path, name);
}

/** Trials of a run are numbered at the end of their ids, with leading zeros. */
function isNumbered(name: string, number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  const last = /(\d+)\.jsonl$/.exec(name)?.[1];
  return last !== undefined && Number(last) === Number(number);
}

function shortList(names: readonly string[]): string {
  const [first, last] = [names[0], names.at(-1)];
  return names.length <= 3 ? names.join(", ") : `${first} to ${last}`;
}
