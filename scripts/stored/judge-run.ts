/**
 * Judges the traces of a run from the files on disk. `run` and `judge` both end here, so a verdict never depends on
 * anything but the stored traces.
 */
import { basename, resolve } from "node:path";
import type { InvariantName } from "../../src/reconcile/invariants.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import type { HostIdentity } from "../../src/trace/spec.ts";
import { MachineError } from "../base/machine-error.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { type JudgedTrial, judgeParsed, verdictLine } from "./judge-trace.ts";
import { RUN_FILE } from "./stored-run.ts";
import { noTracesIn, openFolder, openStored, type StoredTraces, type TraceFile } from "./stored-traces.ts";
import { trialNameOf } from "./trace-names.ts";

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
  /** As it was started, without the program's name; empty when no trace can tell. */
  readonly commandLine: readonly string[];
  /** Whether its plan was there to be held against the traces. */
  readonly planned: boolean;
  /** What else keeps the run from being whole, in words. */
  readonly problems: readonly string[];
};

/**
 * Judges what a path names: one trace, or all traces of a run's folder; either may be packed.
 *
 * @throws UserError when it does not exist, cannot be read or holds no traces.
 */
export async function judgePath(path: string, required: Required = []): Promise<JudgedRun> {
  return judgeStored(await openStored(path), required);
}

/** @throws UserError when it holds no traces, or those of different OpenCode hosts. */
export async function judgeFolder(folder: string, required: Required = []): Promise<JudgedRun> {
  return judgeStored(await openFolder(folder), required);
}

/**
 * Judges all traces of a folder, or one. With `run.json` beside them they are those of one run, and what was planned and is
 * not there is noticed; without, it is a set of traces of which nobody can say whether one is missing.
 *
 * @throws UserError when there are none, or those of different OpenCode hosts.
 */
export function judgeStored(stored: StoredTraces, required: Required = []): JudgedRun {
  const { folder, plan, traces } = stored;
  if (traces.length === 0 && (plan === null || typeof plan === "string")) throw noTracesIn(folder);
  const all = judgeAll(traces, required);
  if (stored.isOne) return composeRun(folder, all, [], []);
  verifyOneHost(folder, all);
  if (plan === null || typeof plan === "string") {
    const { trials, problems } = withoutCopies(all);
    const unplanned = `${RUN_FILE} is not there, so whether a trace is missing is not known`;
    return composeRun(folder, trials, [], [plan ?? unplanned, ...problems]);
  }
  const { trials, problems } = ownTraces(all, plan.run);
  const have = new Set(trials.map((trial) => trial.spec?.trial ?? trialNameOf(trial.path)));
  const missing = plan.specs
    .filter(({ trial }) => !have.has(trial))
    .sort((a, b) => byCodeUnit(a.trial, b.trial));
  return {
    ...composeRun(folder, trials, missing, problems),
    ...{ run: plan.run, experiment: plan.experiment, resumed: plan.resumptions.length, planned: true },
  };
}

/** The run of a trace that was judged by itself. */
export function judgedAlone(trial: JudgedTrial, folder: string): JudgedRun {
  return composeRun(folder, [trial], [], []);
}

type Required = readonly InvariantName[];
type Kept = { readonly trials: readonly JudgedTrial[]; readonly problems: readonly string[] };

/**
 * A trial has one trace, whatever its file is called. Where two files hold the same trial, the one that lies under another
 * trial's name took that trial's place; a trace of another run has no business here. Neither counts anywhere.
 */
function ownTraces(all: readonly JudgedTrial[], run: string): Kept {
  const rightful = new Set(all.filter(isUnderItsName).map(({ spec }) => spec?.trial));
  const taken = new Set<string>();
  const trials: JudgedTrial[] = [];
  const problems: string[] = [];
  for (const trial of all) {
    const { spec, path } = trial;
    const intruder =
      spec !== null && (taken.has(spec.trial) || (rightful.has(spec.trial) && !isUnderItsName(trial)));
    if (spec !== null && spec.run !== run)
      problems.push(`${path} belongs to another run, '${spec.run}': it is counted nowhere`);
    else if (intruder)
      problems.push(`${path} holds the trace of another trial, '${spec.trial}': it is counted nowhere`);
    else {
      if (spec !== null) taken.add(spec.trial);
      trials.push(trial);
    }
  }
  return { trials, problems };
}

function isUnderItsName({ spec, path }: JudgedTrial): boolean {
  return spec !== null && trialNameOf(path) === spec.trial;
}

/** The same trace twice is one trial, whatever the files are called. */
function withoutCopies(all: readonly JudgedTrial[]): Kept {
  const first = new Map<string, JudgedTrial>();
  const trials: JudgedTrial[] = [];
  const problems: string[] = [];
  for (const trial of all) {
    const before = trial.head === null ? undefined : first.get(trial.head);
    if (before === undefined) {
      if (trial.head !== null) first.set(trial.head, trial);
      trials.push(trial);
    } else problems.push(`${trial.path} is a copy of ${before.path}: it is counted once`);
  }
  return { trials, problems };
}

/** Results on a stand-in and on the SDK are no repeats of each other. */
function verifyOneHost(folder: string, all: readonly JudgedTrial[]): void {
  const kinds = new Set(
    all.flatMap(({ spec }) =>
      spec !== null && CHOSEN.includes(spec.factors.host) ? [spec.factors.host] : [],
    ),
  );
  if (kinds.size > 1)
    throw new UserError(
      `'${folder}' holds traces on different hosts (${[...kinds].sort().join(", ")}): ` +
        "move those of each host to a folder of their own and judge them apart",
    );
}

/** Hosts between which a run chooses. */
const CHOSEN: readonly string[] = ["sdk", "stand-in"];

/**
 * Writes a run's verdicts, one line each, sorted by trial id. The same traces always give the same bytes.
 *
 * @throws UserError when there can be no such file, MachineError when the machine refuses.
 */
export async function writeVerdicts(path: string, trials: readonly JudgedTrial[]): Promise<void> {
  try {
    const lines = trials.map(({ verdict }) => verdictLine(verdict)).join("");
    // Several may judge the same traces at once: the last one's file stands, whole.
    await writeWhole(path, lines, undefined, `${path}.${crypto.randomUUID()}.partial`);
  } catch (error) {
    if (!(error instanceof MachineError) || !NO_SUCH_PLACE.includes(error.code)) throw error;
    throw new UserError(`cannot write '${path}': ${error.code}; name another file with --out`);
  }
}

/** Of a path that was given wrongly. */
const NO_SUCH_PLACE: readonly string[] = ["ENOENT", "ENOTDIR", "EISDIR"];

/** What the machine lacks, which is nobody's mistake. */
const WANTING: readonly string[] = ["EMFILE", "ENFILE", "EIO", "ENOMEM"];

function judgeAll(traces: readonly TraceFile[], required: Required): JudgedTrial[] {
  const trials: JudgedTrial[] = [];
  for (const { path, read } of traces) {
    try {
      trials.push(judgeParsed(path, read(), required));
    } catch (error) {
      // Only what the file system refuses is the user's; anything else is a bug and goes on.
      if (!(error instanceof Error && "syscall" in error)) throw error;
      if (WANTING.includes(String(Reflect.get(error, "code")))) throw error;
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
  return {
    run: spec?.run ?? basename(resolve(folder)),
    folder,
    experiment: spec?.experiment ?? null,
    seed: spec?.seed ?? null,
    host: hostOf(trials),
    trials,
    missing,
    resumed: 0,
    commandLine: commandOf(trials),
    planned: false,
    problems,
  };
}

/** The arguments with which the run was started. */
function commandOf(trials: readonly JudgedTrial[]): readonly string[] {
  return trials.find(({ environment }) => environment !== null)?.environment?.commandLine.slice(1) ?? [];
}

/** What the run asked for, in the words of a subject that ran it. */
function hostOf(trials: readonly JudgedTrial[]): HostIdentity | null {
  const asked = trials.find(({ environment }) => environment !== null)?.environment?.host ?? null;
  return trials.find(({ verdict }) => verdict.host?.kind === asked?.kind)?.verdict.host ?? asked;
}

/** The trial's id; a trace that does not tell its own goes by its file's name. */
function keyOf({ verdict, path }: JudgedTrial): string {
  return verdict.trial ?? trialNameOf(path);
}
