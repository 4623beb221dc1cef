/** Whoever writes down what comes and goes on this machine may come too early for a trial's journal, or too late. */
import type { RefusalCode } from "../trace/protocol/refusals.ts";
import { PeerError } from "./call.ts";

const NOT_CONCERNED: readonly string[] = [
  "trial-unknown",
  "trial-not-started",
  "trial-ended",
] satisfies RefusalCode[];

/** Whether a call was refused since the trial's journal has not begun or is closed: it has no use for the record then. */
export function hasNoJournal(error: unknown): boolean {
  return error instanceof PeerError && NOT_CONCERNED.includes(error.code);
}
