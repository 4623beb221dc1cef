/**
 * Which trials were hit by one act. A kill, restart or redeploy ends a whole process with every trial in it, so those
 * trials are one draw of what the platform does, not many.
 */
import type { Verdict } from "../reconcile/verdict.ts";

/** Acts behind the resets of these trials: a shared one counts once, any other by itself. */
export function actsOf(verdicts: readonly Verdict[]): Set<string> {
  return new Set(
    verdicts.flatMap(({ resets }, trial) =>
      resets.map(({ cluster, ordinal }) => cluster ?? `trial ${trial}, reset ${ordinal}`),
    ),
  );
}

/** Groups of trials that share an act; a trial that shares none, or was not reset, is a group of its own. */
export function clustersOf(verdicts: readonly Verdict[]): Verdict[][] {
  const key = (verdict: Verdict, trial: number) =>
    verdict.resets.find(({ cluster }) => cluster !== null)?.cluster ?? `trial ${trial}`;
  return [...Map.groupBy(verdicts.entries(), ([trial, verdict]) => key(verdict, trial)).values()].map(
    (group) => group.map(([, verdict]) => verdict),
  );
}
