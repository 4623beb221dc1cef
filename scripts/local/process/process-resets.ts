/**
 * Resets of a whole subject process on its own storage and port, and what is known of each afterwards: one entry for each
 * row of `RESETS` that takes a process.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { type ProcessReset, type Reset, takesProcess } from "../../../src/trace/resets.ts";
import type { ProcessEnd, SubjectProcess } from "./subject-process.ts";

/** What a process reset comes to, for the trials that it hit. */
export type ProcessResetOutcome = {
  readonly mechanism: string;
  readonly process: NonNullable<RecordDraft<"reset.performed">["process"]> | null;
  /** What a request that was open meanwhile was answered with, where one was. */
  readonly error?: string | null;
};

/** Told while the reset goes on. The reset waits for it, so that what it writes down stands in the order of the events. */
export type ProcessWitness = {
  /** The process is gone and no other one has been started. */
  ended(end: ProcessEnd): Promise<void>;
  /** The one that took its place listens. */
  started(pid: number): Promise<void>;
};

/** A reset of a whole process, as it is asked for. */
export type ProcessResetOrder = {
  readonly reset: Reset;
  /** How many trials it hits. */
  readonly trials: number;
  /** How long the old code may go on, of a reset that names that; else null. */
  readonly deferredS: number | null;
  /** From when on nobody waits for anything any more. */
  readonly signal: AbortSignal;
};

type ProcessResetOptions = ProcessResetOrder & {
  /** What the process is, in words. */
  readonly what: string;
  /** Names a new build, for a reset that brings one. */
  readonly nextBuild: () => string;
  readonly witness: ProcessWitness;
};

/** What is done, in words, and how the process ended; `end` is null when it goes on. */
type Ended = { readonly mechanism: string; readonly end: ProcessEnd | null };

/** Ends the process and prepares what is to be started in its place. @throws when this process knows no such reset. */
type ProcessPerformer = (process: SubjectProcess, options: ProcessResetOptions) => Promise<Ended>;

const PROCESS_RESETS: Readonly<Record<ProcessReset, ProcessPerformer>> = {
  kill: async (process, { what }) => {
    return { mechanism: `SIGKILL of the subject's ${what} process`, end: await process.kill() };
  },
  restart: async (process) => {
    const end = await process.shutDown();
    const how = end.signal === "SIGKILL" ? "SIGTERM, then SIGKILL since it did not end" : "SIGTERM";
    return { mechanism: `${how}, and start on the same storage`, end };
  },
  redeploy: async (process, options) => {
    if (process.useBuild === undefined) throw noSuchReset(options);
    const build = options.nextBuild();
    process.useBuild(build);
    // The platform gives the old code no time either.
    const end = await process.kill();
    return { mechanism: `new code (${build}) on the same storage, at once`, end };
  },
  // An object with an open call is active, so that the platform lets it go on for the whole of the time.
  "redeploy-within": async (process, options) => {
    if (process.useBuild === undefined || options.deferredS === null) throw noSuchReset(options);
    await putOff(options.deferredS, options.signal);
    const build = options.nextBuild();
    process.useBuild(build);
    const end = await process.kill();
    return {
      mechanism: `new code (${build}) on the same storage, put off for ${options.deferredS} s`,
      end,
    };
  },
  upgrade: async (process, options) => {
    if (process.useNextSet === undefined) throw noSuchReset(options);
    const { from, to } = process.useNextSet(options.nextBuild());
    const end = await process.kill();
    return { mechanism: `SIGKILL under ${from}, and start under ${to} on the same storage`, end };
  },
  // Rehearses a platform that acknowledges a deploy and keeps running the old code beyond the observation.
  "redeploy-deferred": async () => ({
    mechanism: "deploy acknowledged, code update deferred beyond the trial",
    end: null,
  }),
};

/** @throws when this process knows no such reset. */
export async function resetProcess(
  process: SubjectProcess,
  options: ProcessResetOptions,
): Promise<ProcessResetOutcome> {
  const { reset, trials, witness } = options;
  if (!takesProcess(reset)) throw noSuchReset(options);
  const { mechanism, end } = await PROCESS_RESETS[reset](process, options);
  if (end === null) return { mechanism, process: null };
  await witness.ended(end);
  await process.start();
  const { pid } = process;
  if (pid !== null) await witness.started(pid);
  return { mechanism, process: { ...end, nextPid: pid, trials, cluster: randomUUID() } };
}

/** Resolves after so long, or when nobody waits for it any more. */
export async function putOff(deferredS: number, signal: AbortSignal): Promise<void> {
  await delay(deferredS * 1_000, undefined, { signal }).catch(() => undefined);
}

function noSuchReset({ reset, what }: ProcessResetOptions): Error {
  return new Error(`'${reset}' is no reset of a ${what} process`);
}
