/**
 * Judges the traces of a run from the files on disk. `run` and `judge` both end here, so a verdict never depends on
 * anything but the stored traces.
 */
import { readdir, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import type { HostIdentity } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";
import { type JudgedTrial, judgeTrace, verdictLine } from "./judge-trace.ts";
import { readStoredRun } from "./stored-run.ts";

export const VERDICTS_FILE = "verdicts.jsonl";

export type JudgedRun = {
  /** Id of the run, or the folder's name when no trace can tell. */
  readonly run: string;
  readonly folder: string;
  readonly experiment: string | null;
  readonly seed: number | null;
  /** The host that was asked for; null when no trace can tell. */
  readonly host: HostIdentity | null;
  /** Sorted by trial id. */
  readonly trials: readonly JudgedTrial[];
  /** Planned trials that left no trace. */
  readonly missing: readonly {
    readonly trial: string;
    readonly condition: string;
    readonly canary: boolean;
  }[];
  /** How often the run was interrupted and taken up again. */
  readonly resumed: number;
  /** What else keeps the run from being whole, in words. */
  readonly problems: readonly string[];
};

/**
 * Judges what a path names: one trace, or all traces of a run's folder.
 *
 * @throws UserError when it does not exist, cannot be read or holds no traces.
 */
export async function judgePath(path: string): Promise<JudgedRun> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      error.code === "ENOENT" ? `there is no '${path}'` : `cannot read '${path}': ${error.code}`,
    );
  });
  if (found.isDirectory()) return judgeFolder(path);
  if (!isTraceName(path))
    throw new UserError(`'${path}' is not a trace: give a .jsonl trace or the folder of a run`);
  return composeRun(dirname(path), judgeAll([path]), [], []);
}

/** Judges all traces of a run's folder, and notices those that were planned and are not there. */
export async function judgeFolder(folder: string): Promise<JudgedRun> {
  const names = (await readdir(folder)).filter(isTraceName);
  const stored = await readStoredRun(folder);
  if (names.length === 0 && (stored === null || typeof stored === "string"))
    throw new UserError(`'${folder}' holds no traces (*.jsonl)`);
  const trials = judgeAll(names.sort().map((name) => join(folder, name)));
  if (stored === null || typeof stored === "string")
    return composeRun(folder, trials, [], stored === null ? [] : [stored]);
  const have = new Set(names.map((name) => name.slice(0, -".jsonl".length)));
  const missing = stored.specs
    .filter(({ trial }) => !have.has(trial))
    .sort((a, b) => byCodeUnit(a.trial, b.trial));
  return {
    ...composeRun(folder, trials, missing, []),
    ...{ run: stored.run, experiment: stored.experiment, resumed: stored.resumptions.length },
  };
}

/**
 * Writes a run's verdicts, one line each, sorted by trial id. The same traces always give the same bytes.
 *
 * @throws UserError when the file cannot be written.
 */
export async function writeVerdicts(path: string, trials: readonly JudgedTrial[]): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await writeFile(partial, trials.map(({ verdict }) => verdictLine(verdict)).join(""));
    await rename(partial, path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    throw new UserError(`cannot write '${path}': ${code}; name another file with --out`);
  }
}

/** Verdicts may have been written beside the traces under another name, with --out. */
export function isTraceName(name: string): boolean {
  return name.endsWith(".jsonl") && !name.endsWith(VERDICTS_FILE);
}

function judgeAll(paths: readonly string[]): JudgedTrial[] {
  const trials: JudgedTrial[] = [];
  for (const path of paths) {
    try {
      trials.push(judgeTrace(path));
    } catch (error) {
      // Only what the file system refuses is the user's; anything else is a bug and goes on.
      if (!(error instanceof Error && "syscall" in error)) throw error;
      throw new UserError(`cannot read '${path}': ${error.message}`);
    }
  }
  return trials.sort((a, b) => byCodeUnit(keyOf(a), keyOf(b)));
}

function composeRun(
  folder: string,
  trials: readonly JudgedTrial[],
  missing: JudgedRun["missing"],
  problems: readonly string[],
): JudgedRun {
  const spec = trials.find((trial) => trial.spec !== null)?.spec ?? null;
  const strangers = trials.filter((trial) => trial.spec !== null && trial.spec.run !== spec?.run);
  const renamed = trials.filter(
    (trial) => trial.spec !== null && basename(trial.path) !== `${trial.spec.trial}.jsonl`,
  );
  return {
    run: spec?.run ?? basename(resolve(folder)),
    folder,
    experiment: spec?.experiment ?? null,
    seed: spec?.seed ?? null,
    host: hostOf(trials),
    trials,
    missing,
    resumed: 0,
    problems: [
      ...problems,
      ...strangers.map(({ path, spec: other }) => `${path} belongs to another run, '${other?.run}'`),
      ...renamed.map(
        ({ path, spec: other }) => `${path} holds the trace of another trial, '${other?.trial}'`,
      ),
    ],
  };
}

/** What the run asked for, in the words of a subject that ran it. */
function hostOf(trials: readonly JudgedTrial[]): HostIdentity | null {
  const asked = trials.find(({ environment }) => environment !== null)?.environment?.host ?? null;
  return trials.find(({ verdict }) => verdict.host?.kind === asked?.kind)?.verdict.host ?? asked;
}

/** The trial's id; a trace that does not tell its own goes by its file's name. */
function keyOf({ verdict, path }: JudgedTrial): string {
  return verdict.trial ?? basename(path, ".jsonl");
}
