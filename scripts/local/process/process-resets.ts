/**
 * Resets of a whole subject process on its own storage and port, and what is known of each afterwards: one entry for each
 * row of `RESETS` that takes a process.
 */
import { randomUUID } from "node:crypto";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { type ProcessReset, type Reset, takesProcess } from "../../../src/trace/resets.ts";
import type { ProcessEnd, SubjectProcess } from "./subject-process.ts";

/** What a process reset comes to, for the trials that it hit. */
export type ProcessResetOutcome = {
  readonly mechanism: string;
  readonly process: NonNullable<RecordDraft<"reset.performed">["process"]> | null;
};

type ProcessResetOptions = {
  readonly reset: Reset;
  /** What the process is, in words. */
  readonly what: string;
  /** How many trials it holds. */
  readonly trials: number;
  /** Names a new build, for a reset that brings one. */
  readonly nextBuild: () => string;
};

/** What was done, in words, and how the process ended; `end` is null when it did not. */
type Performed = { readonly mechanism: string; readonly end: ProcessEnd | null };

/** @throws when this process knows no such reset. */
type ProcessPerformer = (process: SubjectProcess, options: ProcessResetOptions) => Promise<Performed>;

const PROCESS_RESETS: Readonly<Record<ProcessReset, ProcessPerformer>> = {
  kill: async (process, { what }) => {
    const end = await process.kill();
    await process.start();
    return { mechanism: `SIGKILL of the subject's ${what} process`, end };
  },
  restart: async (process) => {
    const end = await process.shutDown();
    await process.start();
    const how = end.signal === "SIGKILL" ? "SIGTERM, then SIGKILL since it did not end" : "SIGTERM";
    return { mechanism: `${how}, and start on the same storage`, end };
  },
  redeploy: async (process, options) => {
    if (process.redeploy === undefined) throw noSuchReset(options);
    const build = options.nextBuild();
    const end = await process.redeploy(build);
    return { mechanism: `new code (${build}) on the same storage, at once`, end };
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
  const { reset, trials } = options;
  if (!takesProcess(reset)) throw noSuchReset(options);
  const { mechanism, end } = await PROCESS_RESETS[reset](process, options);
  const proof = end === null ? null : { ...end, nextPid: process.pid, trials, cluster: randomUUID() };
  return { mechanism, process: proof };
}

function noSuchReset({ reset, what }: ProcessResetOptions): Error {
  return new Error(`'${reset}' is no reset of a ${what} process`);
}
