/**
 * A client's request that is open when the reset comes: it waits for the operation's outcome, as a client would, or follows the
 * session's events, and what becomes of it is what the runtime or the platform tells a client whose object is taken away. It decides nothing.
 */
import { subjectTraits } from "../harnesses/index.ts";
import { PeerError } from "../link/call.ts";
import { drillTraits } from "../trace/drills.ts";
import { OPEN_WAIT_MS_MAX } from "../trace/protocol/subject-protocol.ts";
import type { RecordDraft } from "../trace/records.ts";
import { type SingleReset, takesHost, traitsOf } from "../trace/resets.ts";
import { targetTraits } from "../trace/targets.ts";
import { takeUpJob } from "./job-record.ts";
import { errorText, type Recorder } from "./recorder.ts";

type Ended = Omit<RecordDraft<"request.ended">, "source" | "type" | "ordinal">;

/** How long after the reset's report a request that is not cut off is followed, in ms. */
const FOLLOWED_MS = 2_000;

export type OpenRequest = {
  /** How it ended, or that it had not. It is given up then, so that nothing of it touches the object later. */
  readonly ended: () => Promise<Ended>;
};

/** Null where no request can be open: nothing is waited for, or the reset is not performed as it should be while one is. */
export async function openRequest(recorder: Recorder, reset: SingleReset): Promise<OpenRequest | null> {
  const { factors, bounds, resetDelayMs } = recorder.spec;
  const isObject = subjectTraits(factors.subject).runs === "object" && targetTraits(factors).losesObject;
  const isSettled = factors.point === "after-answer";
  // A step that runs again may do so after the reset: a request would then touch whoever came back.
  if (!isObject || isSettled || recorder.isRepeated) return null;
  const { needsIdle, waitsForRequests } = traitsOf(reset);
  if (!takesHost(reset) || needsIdle === true || waitsForRequests === true) return null;
  const over = new AbortController();
  const timeoutMs = Math.min(OPEN_WAIT_MS_MAX, bounds.resetMs + resetDelayMs);
  const { ended: request } =
    factors.drill !== undefined && drillTraits(factors.drill).followsEvents
      ? await followed(recorder, over.signal)
      : { ended: recorder.subject.wait(recorder.spec.operationId, timeoutMs, { signal: over.signal }) };
  const answer = request.then(
    (): Ended => ({ end: "answered", status: 200, error: null }),
    (error: unknown): Ended => ({
      end: "failed",
      status: error instanceof PeerError ? error.status : null,
      error: errorText(error),
    }),
  );
  return {
    ended: async () => {
      const given: Ended = { end: "open", status: null, error: null };
      const ended = await Promise.race([answer, scheduler.wait(FOLLOWED_MS).then(() => given)]);
      over.abort();
      return ended;
    },
  };
}

/** Follows the session's events, of which the first is told already. */
async function followed(
  recorder: Recorder,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<unknown> }> {
  const { session } = await takeUpJob(recorder);
  const events = recorder.subject.events(session, signal);
  await events.next();
  const rest = async () => {
    for await (const _line of events);
  };
  return { ended: rest() };
}
