/**
 * How often a subject looks after its work by itself, in ms: as long as nobody touches it, a lost turn is found no sooner.
 * A quiet interval that is shorter cannot show whether it would have been found. The one place for these numbers.
 *
 * Leaves to others: which subject has which (scripts/run/make-plan.ts, which writes it into every trial's spec).
 */

/** `HEARTBEAT_MS` of every harness in `agents`, which none of them exports. */
export const HARNESS_HEARTBEAT_MS = 30_000;

/** Of the canary subjects, which wake sooner so that a run need not wait for them. */
export const CANARY_HEARTBEAT_MS = 5_000;
