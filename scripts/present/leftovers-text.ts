/** Leftovers of killed commands in a few words, for the run that clears them away and for the doctor. */
import type { Leftover } from "../local/process/leftovers.ts";

/** For example `3 processes and 1 temporary folder`. */
export function leftoversText(leftovers: readonly Leftover[]): string {
  const running = leftovers.reduce((sum, leftover) => sum + leftover.running.length, 0);
  return `${running} ${running === 1 ? "process" : "processes"} and ${leftovers.length} temporary ${leftovers.length === 1 ? "folder" : "folders"}`;
}
