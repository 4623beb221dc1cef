/**
 * One drain: everything between the start of an execution and its end. Host contract, sections 7, 9.2, 10.2, 10.3.
 */
import type { SessionError } from "../types/messages.ts";
import { compact, isNearLimit } from "./compaction.ts";
import { speakerOf } from "./model-request.ts";
import { isControl } from "./promotion.ts";
import { settleStaleCalls, settleStaleCompactions } from "./stale.ts";
import type { Host } from "./stand-in-host.ts";
import { runStep } from "./step.ts";
import { startTitle } from "./title.ts";

/** A step that failed for good ends the execution as failed. */
export class ExecutionFailed extends Error {
  override readonly name = "ExecutionFailed";
  readonly error: SessionError;

  constructor(error: SessionError) {
    super(error.message);
    this.error = error;
  }
}

/**
 * @param owed - While `force` is set, at least one step is made, whatever the inbox holds: a resumed run must go on.
 *   Any step pays that debt.
 */
export async function drain(
  host: Host,
  sessionID: string,
  owed: { force: boolean },
  signal: AbortSignal,
): Promise<void> {
  await host.plugins.activate();
  await settleStaleCompactions(host, sessionID);
  await settleStaleCalls(host, sessionID);
  for (;;) {
    signal.throwIfAborted();
    const promoted = await host.inbox.promote(sessionID, "idle");
    const control = promoted.find(isControl);
    if (control !== undefined) {
      await compact(host, { sessionID, reason: "manual", item: control, signal });
      continue;
    }
    if (promoted.length === 0 && !owed.force) return;
    owed.force = false;
    if (promoted.some((item) => item.type === "user")) startTitle(host, sessionID);
    await work(host, sessionID, signal);
  }
}

/** Steps until the work has come to rest. */
async function work(host: Host, sessionID: string, signal: AbortSignal): Promise<void> {
  for (let step = 1; ; step++) {
    signal.throwIfAborted();
    if (isNearLimit(host, sessionID)) await compact(host, { sessionID, reason: "auto", signal });
    const limit = host.config.agents[speakerOf(host, sessionID).agent]?.steps;
    const atLimit = limit !== undefined && step >= limit;
    const { calledTools } = await stepWithCompaction(host, sessionID, atLimit, signal);
    const steers = await host.inbox.promote(sessionID, "step");
    // A promoted input starts counting anew; at the limit nothing else goes on.
    if (steers.length > 0) step = 0;
    else if (!calledTools || atLimit) return;
  }
}

/** A request that does not fit gets one compaction and one more try. */
async function stepWithCompaction(host: Host, sessionID: string, atLimit: boolean, signal: AbortSignal) {
  let result = await runStep(host, { sessionID, atLimit, signal });
  if (result.kind === "overflow" && (await compact(host, { sessionID, reason: "auto", signal }))) {
    result = await runStep(host, { sessionID, atLimit, signal });
  }
  if (result.kind !== "ended") throw new ExecutionFailed(result.error);
  return result;
}
