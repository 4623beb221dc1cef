/**
 * What an operator does with a job of which nothing is at hand but its record: an entry for each row of `DRILLS`. Every act
 * names the record that it went by, and takes job, session and owner from there.
 *
 * Leaves to others: what was lost before (phases.ts), and what any of it is worth (the judge).
 */
import { PeerError } from "../link/call.ts";
import { probePrompt } from "../model/index.ts";
import { type Drill, drillTraits } from "../trace/drills.ts";
import type { OwnerRequest } from "../trace/protocol/container-protocol.ts";
import type { RefusalCode } from "../trace/protocol/refusals.ts";
import type { RecordDraft } from "../trace/records.ts";
import { beginAnew } from "./begin-anew.ts";
import { releaseKept } from "./deliver-reset.ts";
import { readIdentity } from "./identity.ts";
import { addressOf, type Job, setStatus, takeUpJob } from "./job-record.ts";
import { aheadSettled, operationSettled, probe, submitOperation, touch } from "./operations.ts";
import { errorText, type Recorder } from "./recorder.ts";

/** What each drill does after the job was taken up and its status asked for. */
const ACTS: Readonly<Record<Drill, (recorder: Recorder) => Promise<void>>> = {
  "follow-up": askForMore,
  "event-stream": askForMore,
  "same-request": askForMore,
  async end(recorder) {
    await tryOtherOwner(recorder);
    await act(recorder, { act: "stop-executor", as: "owner", session: null }, ({ owner }) =>
      recorder.subjectOf(owner).stopExecutor(),
    );
    await askOwned(recorder, "clear-snapshots");
    await readIdentity(recorder, "follow-up");
  },
  async "delete-record-first"(recorder) {
    await followUp(recorder);
    await deleteRecord(recorder);
    await askOwned(recorder, "delete-executor");
    await askOwned(recorder, "clear-snapshots");
  },
  async "delete-executor-first"(recorder) {
    await followUp(recorder);
    await askOwned(recorder, "delete-executor");
    await askOwned(recorder, "clear-snapshots");
    await deleteRecord(recorder);
  },
};

/** Comes back with the job record alone. Resolves with whether the object was reached. */
export async function carryOut(recorder: Recorder, drill: Drill): Promise<boolean> {
  recorder.enter("reconnect");
  const job = await takeUpJob(recorder);
  const reached = await touch(recorder, "reconnected", addressOf(job));
  if (drillTraits(drill).followsEvents) await followEvents(recorder, job);
  await aheadSettled(recorder);
  await operationSettled(recorder, "operation", 2, addressOf(job));
  await ACTS[drill](recorder);
  return reached;
}

async function askForMore(recorder: Recorder): Promise<void> {
  const job = await takeUpJob(recorder);
  const again = await submitOperation(recorder, "again", addressOf(job));
  // Accepted a second time: new work with a result of its own.
  if (again.accepted === true) await operationSettled(recorder, "operation", 3, addressOf(job));
  await followUp(recorder);
  await beginAnew(recorder);
}

/** New work in the job's session, and in one that is somebody else's. */
async function followUp(recorder: Recorder): Promise<void> {
  const { session } = await takeUpJob(recorder);
  await probe(recorder, session);
  await readIdentity(recorder, "follow-up");
  await tryOtherOwner(recorder);
}

type Acted = RecordDraft<"operator.acted">;

/** Does one thing by the record as it stands, and writes down what it was answered. */
async function act(
  recorder: Recorder,
  what: Pick<Acted, "act" | "as" | "session">,
  perform: (job: Job) => Promise<unknown>,
): Promise<void> {
  const job = await takeUpJob(recorder);
  await recorder.act(`operator:${what.act}:${what.as}`, async (): Promise<RecordDraft> => {
    const base = { source: "controller", type: "operator.acted", ...what, because: job.seq } as const;
    try {
      await perform(job);
      return { ...base, outcome: "done", error: null };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { ...base, outcome: "refused", error: errorText(error) };
    }
  });
}

/** Somebody answered, and it was no. */
function isRefusal(error: unknown): boolean {
  return error instanceof PeerError && error.code !== ("object-lost" satisfies RefusalCode);
}

/** Hands work in under the id of a session that is there, in the object of another owner. */
async function tryOtherOwner(recorder: Recorder): Promise<void> {
  const { owner } = await takeUpJob(recorder);
  const { session } = await recorder.subjectOf(otherThan(owner)).openSession();
  await act(recorder, { act: "open-session", as: "other-owner", session }, (job) =>
    recorder.subjectOf(job.owner).submit({ operationId: `${job.job}-other`, session, text: probePrompt() }),
  );
}

/** Asks whatever runs the containers: without a key, with another owner's, and with the right one. */
async function askOwned(recorder: Recorder, request: OwnerRequest): Promise<void> {
  for (const as of ["nobody", "other-owner", "owner"] as const)
    await act(recorder, { act: request, as, session: null }, ({ owner }) => {
      const keys = {
        nobody: null,
        "other-owner": recorder.keyOf(otherThan(owner)),
        owner: recorder.keyOf(owner),
      };
      return recorder.subjectOf(owner).ofOwner(request, keys[as]);
    });
}

/** Deletes the session's record, and hands work in to see that it is gone. */
async function deleteRecord(recorder: Recorder): Promise<void> {
  const { session } = await takeUpJob(recorder);
  await act(recorder, { act: "delete-session-record", as: "owner", session }, (job) =>
    recorder.subjectOf(job.owner).deleteSession(job.session),
  );
  await setStatus(recorder, "deleted");
  await act(recorder, { act: "open-session", as: "owner", session }, (job) =>
    recorder.subjectOf(job.owner).submit({
      operationId: `${job.job}-deleted`,
      session: job.session,
      text: probePrompt(),
    }),
  );
}

/** Follows the session's events until the job has ended, by what they begin with or by one of them. */
async function followEvents(recorder: Recorder, job: Job): Promise<void> {
  await recorder.act("stream", async (): Promise<RecordDraft> => {
    let told: Pick<RecordDraft<"stream.read">, "pending" | "messages" | "end"> = {
      pending: null,
      messages: 0,
      end: null,
    };
    const say = (error: string | null): RecordDraft<"stream.read"> => ({
      source: "controller",
      type: "stream.read",
      operationId: job.job,
      session: job.session,
      ...told,
      error,
      because: job.seq,
    });
    const bound = AbortSignal.timeout(recorder.spec.bounds.operationMs);
    try {
      for await (const line of recorder.subjectOf(job.owner).events(job.session, bound)) {
        if (line.kind === "begins") {
          told = {
            pending: line.pending.includes(job.job),
            messages: line.messages[job.job] ?? 0,
            end: null,
          };
          await releaseKept(recorder);
          if (told.pending !== true) break;
        } else if (line.operationId === job.job) {
          told = { ...told, end: { status: line.status, reason: line.reason } };
          break;
        }
      }
      return say(null);
    } catch (error) {
      return say(errorText(error));
    }
  });
}

function otherThan(owner: string): string {
  return `${owner}-other`;
}
