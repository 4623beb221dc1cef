/**
 * What a trial is where its experiment says nothing else: one loss in the acknowledgement gap, a destination that absorbs
 * nothing, a model that asks again, a client that comes back after the quiet interval.
 */
import type { MatrixFactors } from "./shape.ts";

export const USUAL_TRIAL = {
  subject: "opencode",
  point: "after-commit",
  reset: "abort",
  resets: 1,
  destination: "append",
  heldAttempt: "dropped",
  policy: "reissue",
  key: "scenario",
  reconnect: "after-quiet",
  // A harness looks after its work every 30 s; 10 s more leave room for a late alarm.
  quietMs: 40_000,
  settleMs: 2_000,
} as const satisfies Partial<MatrixFactors>;
