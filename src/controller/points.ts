/**
 * How a trial comes to its point: which requests the ledger holds, and what to wait for before each reset.
 */
import { afterSyncMsOf } from "../trace/heartbeats.ts";
import { POINTS } from "../trace/points.ts";
import type { Hold } from "../trace/records.ts";
import { plannedResets, takesTurn } from "../trace/resets.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { operationAnswered, operationSettled } from "./operations.ts";
import type { Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

/** The hold at which the reset number `ordinal` is delivered; null where the point is no hold. */
export function holdFor({ factors, agent }: TrialSpec, ordinal: number): Hold | null {
  const { point } = factors;
  // Whoever asks its model itself is held nowhere after its receipt.
  if (agent !== undefined && point === "after-receipt") return null;
  switch (point) {
    case "none":
    case "after-answer":
      return null;
    case "accepted":
      // Where the subject asks the model, that request is kept: nothing of the operation may be done at this point.
      return { point: "model-request", occurrence: ordinal };
    case "during-recovery":
      // The reset that recovery follows is delivered in the acknowledgement gap; the recovery then stands at its first
      // model request, so that nothing it does later can be under way.
      return ordinal === 1
        ? { point: "after-commit", occurrence: 1 }
        : { point: "model-request", occurrence: ordinal };
    default: {
      const before = plannedResets(factors)[ordinal - 2];
      // A turn that was ended comes to no point again.
      const { held } = POINTS[point];
      return held === null || (before !== undefined && takesTurn(before))
        ? null
        : { point: held, occurrence: ordinal };
    }
  }
}

/** Every hold of the trial, in the order in which they are reached. */
export function holdsOf(spec: TrialSpec): Hold[] {
  const ordinals = Array.from({ length: plannedResets(spec.factors).length }, (_, index) => index + 1);
  return ordinals.map((ordinal) => holdFor(spec, ordinal)).filter((hold) => hold !== null);
}

/** Waits until the reset number `ordinal` may be delivered. @throws TrialEnd when the point is not reached in time. */
export async function arrive(recorder: Recorder, ordinal: number): Promise<void> {
  const { spec } = recorder;
  const { point, quietMs } = spec.factors;
  if (spec.agent !== undefined) return arriveWithAgent(recorder, ordinal);
  // The submission was answered before; whether the model is ever asked is the subject's own affair.
  const hold = point === "accepted" ? null : holdFor(spec, ordinal);
  // A later arrival first needs the object to wake by itself.
  const boundMs = spec.bounds.arriveMs + (ordinal === 1 ? 0 : quietMs);
  if (hold !== null) {
    const reached = await recorder.awaitRecord(
      `hold ${hold.point} ${hold.occurrence}`,
      ["hold.reached"],
      boundMs,
      (record) => record.hold.point === hold.point && record.hold.occurrence === hold.occurrence,
    );
    if (reached === null) throw notReached(`'${hold.point}' ${hold.occurrence}`, boundMs);
    if (POINTS[point].files === "stored") await recorder.pause(afterSyncMsOf(spec));
  } else if (point === "after-answer") {
    await operationAnswered(recorder, 0);
    if ((await operationSettled(recorder, "operation", 1)) !== "settled")
      throw notReached("an answer", boundMs);
  }
}

/**
 * An agent of somebody's own comes to its point, or ends before it. After its receipt it is held nowhere: the record that it was
 * sent is the point.
 */
async function arriveWithAgent(recorder: Recorder, ordinal: number): Promise<void> {
  const { spec } = recorder;
  const { point } = spec.factors;
  const hold = holdFor(spec, ordinal);
  const what = hold === null ? "receipt.sent" : "hold.reached";
  const reached = await recorder.awaitRecord(`'${point}'`, [what, "agent.ended"], spec.bounds.arriveMs);
  if (reached === null) throw notReached(`'${point}'`, spec.bounds.arriveMs);
  if (reached.type === "agent.ended")
    throw new TrialEnd(
      "point-not-reached",
      `the agent ended (${reached.signal ?? `exit code ${reached.exitCode}`}) before it came to '${point}'`,
    );
}

function notReached(what: string, boundMs: number): TrialEnd {
  return new TrialEnd("point-not-reached", `${what} was not reached within ${boundMs} ms`);
}
