/**
 * `run --last-failed`: the conditions of an earlier run that a reader would want to see again, and the canaries, without
 * which a run cannot show that the judge convicts. The earlier run is judged anew from its traces and stays as it is.
 */
import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { askedFile } from "../stored/asked-file.ts";
import { type JudgedRun, judgeFolder } from "../stored/judge-run.ts";
import { outcomeOf, type TrialOutcome } from "../stored/outcome.ts";
import { RUN_FILE, readStoredRun } from "../stored/stored-run.ts";
import { verifyNoAgent } from "./resume.ts";

const FINE: readonly TrialOutcome[] = ["as-expected", "no-expectation"];

export type LastFailed = { readonly experiment: string; readonly conditions: readonly string[] };

/**
 * @param named id or folder of a run; null for the newest one, of `experiment` if that is given.
 * @throws UserError when there is no such run, or when nothing in it failed.
 */
export async function lastFailed(
  named: string | null,
  experiment: string | undefined,
  traces: string,
): Promise<LastFailed> {
  const folder = named === null ? await newestRun(traces, experiment) : folderOf(named, traces);
  const stored = await readStoredRun(folder);
  if (stored === null || typeof stored === "string")
    throw new UserError(`--last-failed: ${shownPath(join(folder, RUN_FILE))} cannot be read`);
  if (experiment !== undefined && stored.experiment !== experiment)
    throw new UserError(
      `--last-failed: run ${stored.run} is of experiment '${stored.experiment}', not '${experiment}'`,
    );
  const judged = await judgeFolder(folder);
  // A file says which command it is; a `try` was given it, and keeps it nowhere.
  if (askedFile(judged.commandLine) === null)
    verifyNoAgent("--last-failed", {
      run: stored.run,
      specs: judged.trials.flatMap(({ spec }) => spec ?? []),
    });
  const failed = failedConditions(judged);
  if (failed.size === 0)
    throw new UserError(
      `--last-failed: in run ${stored.run} no trial is red, invalid, undecided or missing; nothing is run`,
    );
  const canaries = stored.specs.flatMap(({ canary, condition }) => (canary ? condition : []));
  return {
    experiment: askedFile(judged.commandLine) ?? stored.experiment,
    conditions: [...new Set([...failed, ...canaries])],
  };
}

/** Pure. */
export function failedConditions({ trials, missing }: JudgedRun): Set<string> {
  return new Set([
    ...trials.flatMap((trial) =>
      FINE.includes(outcomeOf(trial)) ? [] : (trial.spec?.condition ?? trial.verdict.condition ?? []),
    ),
    ...missing.map(({ condition }) => condition),
  ]);
}

function folderOf(named: string, traces: string): string {
  const found = [join(traces, named), named].find((path) => existsSync(join(path, RUN_FILE)));
  if (found === undefined)
    throw new UserError(
      `--last-failed: neither '${shownPath(join(traces, named))}' nor '${named}' is the folder of a run`,
    );
  return found;
}

async function newestRun(traces: string, experiment: string | undefined): Promise<string> {
  const folders = existsSync(traces) ? await readdir(traces) : [];
  const runs: { folder: string; at: number }[] = [];
  for (const folder of folders.map((name) => join(traces, name))) {
    const stored = await readStoredRun(folder);
    if (stored === null || typeof stored === "string") continue;
    if (experiment !== undefined && stored.experiment !== experiment) continue;
    runs.push({ folder, at: statSync(join(folder, RUN_FILE)).mtimeMs });
  }
  const [newest] = runs.sort((a, b) => b.at - a.at);
  if (newest === undefined)
    throw new UserError(
      `--last-failed: no run${experiment === undefined ? "" : ` of experiment '${experiment}'`} is stored in ${shownPath(traces)}`,
    );
  return newest.folder;
}
