/**
 * The job record of an operator, as the journal keeps it: job, session, owner and last status. Whoever takes a job up again has
 * nothing else at hand. Kept in trials that try a drill.
 */
import { NOT_FOUND } from "../trace/protocol/subject-protocol.ts";
import type { JournalRecord, RecordDraft } from "../trace/records.ts";
import type { Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

export type Job = JournalRecord<"job.recorded">;

/** How a client names an operation: by its id, in a session that is named too where the client knows it by its record. */
export type Address = { readonly operationId: string; readonly session?: string };

export function addressOf({ job, session }: Pick<Job, "job" | "session">): Address {
  return { operationId: job, session };
}

/** The job record as it stands. @throws TrialEnd when there is none. */
export async function takeUpJob(recorder: Recorder): Promise<Job> {
  await recorder.flush();
  let last: Job | null = null;
  for (;;) {
    const next: Job | null = await recorder.find(["job.recorded"], last === null ? 0 : last.seq);
    if (next === null) break;
    last = next;
  }
  if (last === null) throw new TrialEnd("error", "there is no job record to go by");
  return last;
}

/** Begins the record when the operation was handed in. */
export function recordJob(recorder: Recorder, { operationId, session }: Required<Address>): void {
  const { factors, trial } = recorder.spec;
  if (factors.drill === undefined) return;
  note(recorder, { job: operationId, session, owner: trial, status: "submitted", because: null });
}

/** Brings the record up to what its owner learnt. */
export async function learnStatus(recorder: Recorder, settled: RecordDraft): Promise<void> {
  if (recorder.spec.factors.drill === undefined || settled.type !== "operation.settled") return;
  const status =
    settled.status === "done" ? "done" : settled.reason?.startsWith(NOT_FOUND) ? "missing" : "unanswered";
  await setStatus(recorder, status);
}

export async function setStatus(recorder: Recorder, status: Job["status"]): Promise<void> {
  const { job, session, owner, seq } = await takeUpJob(recorder);
  note(recorder, { job, session, owner, status, because: seq });
}

/** `because`: the record that this one takes the place of, which makes its name unique. */
function note(recorder: Recorder, job: Pick<Job, "job" | "session" | "owner" | "status" | "because">): void {
  recorder.note(`job:${job.because ?? "begun"}`, { source: "controller", type: "job.recorded", ...job });
}
