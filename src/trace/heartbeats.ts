/**
 * How often a subject looks after its work by itself, in ms: as long as nobody touches it, a lost turn is found no sooner.
 * A quiet interval that is shorter cannot show whether it would have been found. The one place for these numbers.
 *
 * Leaves to others: which subject has which (scripts/run/make-plan.ts, which writes it into every trial's spec).
 */

/** `HEARTBEAT_MS` of every harness in `agents`, which none of them exports. */
export const HARNESS_HEARTBEAT_MS = 30_000;

/** How often a turn's files are stored by the adapter for agent CLIs in `agents`, in ms, where it is not told otherwise. */
export const EXECUTOR_SYNC_MS = 5_000;

/**
 * The same where nothing of a turn may be stored before its end. A loaded machine takes more than 5 s from the prompt to the
 * point at which the executor is to be lost, and then files would be stored in some trials of a condition and not in others.
 */
export const EXECUTOR_UNSYNCED_MS = 600_000;

/** Of a trial, in ms. Files that were written since the last time are lost with their executor. */
export function executorSyncMsOf(spec: { readonly executorSyncMs?: number | undefined }): number {
  return spec.executorSyncMs ?? EXECUTOR_SYNC_MS;
}

/** How long point `after-sync` waits in the acknowledgement gap, in ms: 3 s more leave room for a late one. */
export function afterSyncMsOf(spec: { readonly executorSyncMs?: number | undefined }): number {
  return executorSyncMsOf(spec) + 3_000;
}

/** Of the canary subjects, which wake sooner so that a run need not wait for them. */
export const CANARY_HEARTBEAT_MS = 5_000;
