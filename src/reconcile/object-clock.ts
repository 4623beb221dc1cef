/**
 * When an activation began, where its beacon came late: a ledger under load takes it when it can, and the record's place then
 * says nothing about when the object woke. The beacon carries the object's own time; the beacon that travelled fastest shows
 * how the two clocks lie to each other.
 *
 * Clocks of other machines may drift apart or jump, so this holds where everything ran on one.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";

/** A beacon that takes less was not held up, in ms: its record tells the time as well. */
const DELAYED_MS_MIN = 1_000;

/**
 * The latest moment at which the activation can have begun, on the ledger's clock in ms: when its beacon was recorded, or
 * earlier where that was held up.
 */
export function begunBy(file: CaseFile, beacon: JournalRecord<"subject.activated">): number {
  const started = file.of("trial.started")[0];
  if (started?.environment.mode !== "local") return beacon.at;
  const offset = Math.min(...file.activations.map(({ at, subjectAt }) => at - subjectAt));
  const begun = beacon.subjectAt + offset;
  return beacon.at - begun < DELAYED_MS_MIN ? beacon.at : begun;
}
