/**
 * Whether a trial keeps quiet for long enough to show that its object wakes by itself, or that it does not. An experiment
 * may declare a shorter interval for a reason of its own; one that is asked for on the command line is refused.
 */
import { plannedResets, takesHost } from "../../src/trace/resets.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { targetTraits } from "../../src/trace/targets.ts";
import { UserError } from "../base/user-error.ts";

/** Whether the quiet interval ends before the object must have looked after its work. False where no loss precedes it. */
export function hasShortQuiet({ factors, heartbeatMs }: TrialSpec): boolean {
  const waits = factors.point !== "none" && factors.reconnect !== "at-once";
  const loses = targetTraits(factors).losesObject && plannedResets(factors).some(takesHost);
  return waits && loses && heartbeatMs !== undefined && factors.quietMs < heartbeatMs;
}

/** `quietMs`: as it was asked for. @throws UserError when it is too short for some trial. */
export function verifyQuiet(specs: readonly TrialSpec[], quietMs: number): void {
  const short = specs.filter(hasShortQuiet);
  const heartbeatMs = Math.max(0, ...short.map((spec) => spec.heartbeatMs ?? 0));
  const [example] = short.filter((spec) => spec.heartbeatMs === heartbeatMs);
  if (example === undefined) return;
  throw new UserError(
    `--quiet-ms ${quietMs} is shorter than the heartbeat of subject '${example.factors.subject}', which looks after its ` +
      `work every ${heartbeatMs} ms: ${short.length} of ${specs.length} trials could not show whether it wakes by itself; ` +
      "give at least the heartbeat, or leave --quiet-ms out, or add --allow-short-quiet",
  );
}
