/**
 * `run --resume`: what is left of an interrupted run. Trials that ended by themselves keep their trace, whatever it
 * shows: an invalid one is counted and never replaced. Trials that the interruption cut off are run again, and so are those
 * whose trace is not there to its end; what they left is moved aside, not removed.
 *
 * A run is finished on what it was started on or not at all: half of it on other code would be another measurement.
 */
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { environmentDifferences } from "../../src/summarize/index.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { machineErrorOf } from "../base/machine-error.ts";
import { UserError } from "../base/user-error.ts";
import { isArchiveName } from "../stored/archive.ts";
import { RUN_FILE, readStoredPlan, type StoredPlan, writeStoredPlan } from "../stored/stored-run.ts";
import { openFolder, type TraceFile } from "../stored/stored-traces.ts";
import { isTraceName, trialNameOf } from "../stored/trace-names.ts";
import type { Checkout } from "./environment.ts";
import type { RunPlan } from "./run-plan.ts";

/** Folder in a run's folder for the traces of trials that were cut off and ran again. */
export const CANCELLED_FOLDER = "cancelled";
/** The same for files that are no whole trace. */
export const DAMAGED_FOLDER = "damaged";

type InterruptedRun = {
  readonly folder: string;
  readonly plan: RunPlan & StoredPlan;
  /** Trials whose trace stays. */
  readonly kept: ReadonlySet<string>;
  /** Trials to run, in the plan's order. */
  readonly left: readonly TrialSpec[];
  /** What those of them left that were cancelled. */
  readonly cancelled: readonly TraceFile[];
  /** What those of them left whose trace has no end. */
  readonly damaged: readonly TraceFile[];
};

/** The folder of a run that is given by its id or by its folder. @throws UserError when there is none. */
export function findRun(run: string, traces: string): string {
  const folder = [join(traces, run), run].find((path) => existsSync(join(path, RUN_FILE)));
  const archive = [join(traces, run), run].find((path) => isArchiveName(path) && existsSync(path));
  if (folder === undefined && archive !== undefined)
    throw new UserError(
      `--resume: '${archive}' is packed, and what is left of a run is written beside its traces: unpack it and name its folder`,
    );
  if (folder === undefined)
    throw new UserError(`--resume: neither '${join(traces, run)}' nor '${run}' is the folder of a run`);
  return folder;
}

/** @throws UserError when it is no run that this version of the kit can finish. */
export async function readInterruptedRun(folder: string): Promise<InterruptedRun> {
  const plan = await readStoredPlan(folder).catch(() => {
    throw new UserError(`--resume: ${join(folder, RUN_FILE)} is not a plan of this version of the kit`);
  });
  const kept = new Set<string>();
  const cancelled: TraceFile[] = [];
  const damaged: TraceFile[] = [];
  const traces = await tracesByTrial(folder);
  for (const { trial } of plan.specs) {
    const trace = traces.get(trial);
    if (trace === undefined) continue;
    const { isWhole, records } = trace.read();
    const last = records.at(-1);
    // Damage before the end is evidence too, of something else than an interruption.
    if (!isWhole) damaged.push(trace);
    else if (last?.type === "trial.ended" && last.reason === "cancelled") cancelled.push(trace);
    else kept.add(trial);
  }
  const left = plan.specs.filter(({ trial }) => !kept.has(trial));
  return { folder, plan, kept, left, cancelled, damaged };
}

/**
 * Compares what is known now with what the run was started on.
 *
 * @throws UserError with everything that differs.
 */
export function verifySame({ plan }: InterruptedRun, now: Checkout | Environment): void {
  const then = Object.fromEntries(Object.entries(plan.environment).filter(([name]) => name in now));
  const differences = environmentDifferences(then, now);
  if (differences.length === 0) return;
  const list = differences.map(({ what, a, b }) => `${what} was ${shown(a)} and is ${shown(b)}`).join(", ");
  throw new UserError(`run ${plan.run} cannot be finished on other than it was started on: ${list}`);
}

/** The last look before anything starts. @throws UserError as `verifySame`, and then nothing has been changed. */
export async function beginResumption(
  run: InterruptedRun,
  environment: Environment,
  commandLine: readonly string[],
): Promise<void> {
  verifySame(run, environment);
  for (const { path } of run.cancelled) await setAside(run.folder, CANCELLED_FOLDER, path);
  for (const { path } of run.damaged) await setAside(run.folder, DAMAGED_FOLDER, path);
  const resumption = {
    startedAt: environment.startedAt,
    commandLine: [...commandLine],
    trials: run.left.map(({ trial }) => trial),
  };
  await writeStoredPlan(run.folder, {
    ...run.plan,
    resumptions: [...run.plan.resumptions, resumption],
  });
}

/** Where a trial left its trace plain and packed by itself, the plain one counts. */
async function tracesByTrial(folder: string): Promise<ReadonlyMap<string, TraceFile>> {
  const { traces } = await openFolder(folder);
  const plainLast = traces.toSorted((a, b) => Number(isTraceName(a.path)) - Number(isTraceName(b.path)));
  return new Map(plainLast.map((trace) => [trialNameOf(trace.path), trace]));
}

async function setAside(folder: string, name: string, trace: string): Promise<void> {
  const aside = join(folder, name);
  const trial = trialNameOf(trace);
  const ending = basename(trace).slice(trial.length);
  try {
    await mkdir(aside, { recursive: true });
    let path = join(aside, `${trial}${ending}`);
    for (let time = 2; existsSync(path); time++) path = join(aside, `${trial}.${time}${ending}`);
    await rename(trace, path);
  } catch (error) {
    throw machineErrorOf(error, { operation: "move a trace into", path: aside }) ?? error;
  }
}

/** Hashes and commits by their beginning. */
function shown(value: string | null): string {
  if (value === null) return "nothing";
  return /^[0-9a-f]{40,}$/.test(value) ? value.slice(0, 12) : value;
}

/** A command belongs to whoever gave it and is not stored, so nobody else can start it. @throws UserError where a trial has one. */
export function verifyNoAgent(
  option: string,
  { run, specs }: { readonly run: string; readonly specs: readonly Pick<TrialSpec, "agent">[] },
): void {
  if (specs.some(({ agent }) => agent !== undefined))
    throw new UserError(
      `${option}: run ${run} tried an agent of somebody's own, whose command is not stored; begin it anew`,
    );
}
