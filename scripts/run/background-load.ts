/**
 * Background load: requests to other objects of the subjects' processes while a run lasts. It varies the timing of
 * trials that would otherwise be near copies, and is recorded with every trial.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Runtime } from "./runtime.ts";

/** Sends `perSecond` requests until `signal` aborts. Answers are not read: the load is the request itself. */
export async function applyLoad(
  runtime: Pick<Runtime, "disturb">,
  perSecond: number,
  signal: AbortSignal,
): Promise<void> {
  if (perSecond === 0) return;
  for (let sent = 0; !signal.aborted; sent++) {
    runtime.disturb(sent).catch(() => undefined);
    await delay(1_000 / perSecond, undefined, { signal }).catch(() => undefined);
  }
}
