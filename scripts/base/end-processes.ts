/** Ends processes with SIGKILL, and sees them gone. */
import { setTimeout as delay } from "node:timers/promises";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";

const LOOK_AGAIN_MS = 20;

/** SIGKILL to a process, or to a group by its negative id; nothing where there is none any more. */
export function endAtOnce(target: number): void {
  try {
    process.kill(target, "SIGKILL");
  } catch {
    // It ended by itself meanwhile, or leads no group.
  }
}

/** @throws an error with the complaint when one is there after that time still. */
export async function untilGone(
  processes: readonly ProcessIdentity[],
  { withinMs, complaint }: { readonly withinMs: number; readonly complaint: string },
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (processes.some(isRunning)) {
    if (Date.now() > deadline) throw new Error(complaint);
    await delay(LOOK_AGAIN_MS);
  }
}
