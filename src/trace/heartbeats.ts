/**
 * How often a subject looks after its work by itself, in ms: as long as nobody touches it, a lost turn is found no sooner.
 * A quiet interval that is shorter cannot show whether it would have been found. The one place for these numbers.
 *
 * Leaves to others: which subject has which (scripts/run/make-plan.ts, which writes it into every trial's spec).
 */

/** `HEARTBEAT_MS` of every harness in `agents`, which none of them exports. */
export const HARNESS_HEARTBEAT_MS = 30_000;

/** How often a turn's files are stored by the adapter for agent CLIs in `agents`, in ms: one of before is lost with its executor. */
export const EXECUTOR_SYNC_MS = 5_000;
/** How long point `after-sync` waits in the acknowledgement gap, in ms: 1 s more leaves room for a late one. */
export const AFTER_SYNC_MS = EXECUTOR_SYNC_MS + 1_000;

/** Of the canary subjects, which wake sooner so that a run need not wait for them. */
export const CANARY_HEARTBEAT_MS = 5_000;
