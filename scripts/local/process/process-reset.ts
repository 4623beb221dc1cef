/** Resets of a whole subject process on its own storage and port, and what is known of each afterwards. */
import { randomUUID } from "node:crypto";
import type { Reset } from "../../../src/trace/levels.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import type { ProcessEnd, SubjectProcess } from "./subject-process.ts";

/** What a process reset comes to, for the trials that it hit. */
export type ProcessResetOutcome = {
  readonly mechanism: string;
  readonly process: NonNullable<RecordDraft<"reset.performed">["process"]> | null;
};

export type ProcessReset = {
  readonly reset: Reset;
  /** What the process is, in words. */
  readonly what: string;
  /** How many trials it holds. */
  readonly trials: number;
  /** Name of the next build, for a redeploy. */
  readonly build: string;
};

/** @throws when this process knows no such reset. */
export async function resetProcess(
  process: SubjectProcess,
  { reset, what, trials, build }: ProcessReset,
): Promise<ProcessResetOutcome> {
  const proof = (end: ProcessEnd) => ({ ...end, nextPid: process.pid, trials, cluster: randomUUID() });
  if (reset === "kill") {
    const end = await process.kill();
    await process.start();
    return { mechanism: `SIGKILL of the subject's ${what} process`, process: proof(end) };
  }
  if (reset === "restart") {
    const end = await process.shutDown();
    await process.start();
    const how = end.signal === "SIGKILL" ? "SIGTERM, then SIGKILL since it did not end" : "SIGTERM";
    return { mechanism: `${how}, and start on the same storage`, process: proof(end) };
  }
  if (reset === "redeploy" && process.redeploy !== undefined) {
    const end = await process.redeploy(build);
    return { mechanism: `new code (${build}) on the same storage, at once`, process: proof(end) };
  }
  if (reset === "redeploy-deferred")
    // Rehearses a platform that acknowledges a deploy and keeps running the old code beyond the observation.
    return { mechanism: "deploy acknowledged, code update deferred beyond the trial", process: null };
  throw new Error(`'${reset}' is no reset of a ${what} process`);
}
