/** A run request together with its folder, which is this process's alone until it is released. */
import type { ReleaseLock } from "../base/file-lock.ts";
import { shownPath } from "../base/shown-path.ts";
import { findRun } from "../run/resume.ts";
import { FolderTakenError, lockNewRun, lockRun } from "../run/run-lock.ts";
import { defaultRunId, isPath, newRun, type RunOptions, type RunRequest, restOfRun } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

type ClaimedRun = { readonly request: RunRequest; readonly release: ReleaseLock };

/** How many runs of one experiment may be started in one second without names of their own. */
const SAME_SECOND_MAX = 20;

/** @throws UserError as `newRun` and `lockNewRun` do. A run without a name of its own takes the next that is free. */
export async function claimNewRun(
  experiment: string,
  options: RunOptions,
  terminal: Terminal,
  prefix = isPath(experiment) ? "own" : experiment,
): Promise<ClaimedRun> {
  return claimRun((runId) => newRun(experiment, { ...options, runId }, terminal), options.runId, prefix);
}

/** The same of a request that its caller makes, under the id that it is given. */
export async function claimRun(
  make: (runId: string) => Promise<RunRequest>,
  asked: string | undefined,
  prefix: string,
): Promise<ClaimedRun> {
  const id = asked ?? defaultRunId(prefix, new Date());
  for (let number = 1; ; number++) {
    const request = await make(number === 1 ? id : `${id}-${number}`);
    try {
      return { request, release: await lockNewRun(request.folder, shownPath(request.folder)) };
    } catch (error) {
      const named = asked !== undefined;
      if (named || number === SAME_SECOND_MAX || !(error instanceof FolderTakenError)) throw error;
    }
  }
}

/** @throws UserError as `findRun`, `lockRun` and `restOfRun` do. */
export async function claimRest(
  run: string,
  experiment: string | undefined,
  options: RunOptions,
  terminal: Terminal,
): Promise<ClaimedRun> {
  const folder = findRun(run, options.traces);
  const release = await lockRun(
    folder,
    shownPath(folder),
    "wait for its end, then resume it if it is not whole",
  );
  try {
    return { request: await restOfRun(folder, experiment, terminal), release };
  } catch (error) {
    release();
    throw error;
  }
}
