/**
 * Gate: the runtime itself keeps its promises. The canary is an object that only sets an alarm; when it stays
 * silent, a subject that did not come back proves nothing about its harness.
 */

import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { type Finding, finding } from "../finding.ts";

export function checkRuntime(file: CaseFile): Finding[] {
  // Without a reset no alarm is owed to anybody, so the trial rests on no promise of the runtime.
  if (file.spec.factors.reset === "none") return [];
  const armed = file.of("canary.armed")[0];
  const [notOffered] = file.of("canary.not-offered");
  if (armed === undefined && notOffered !== undefined) return checkNothingOwed(file, notOffered);
  if (armed === undefined) return [finding("validity", "canary-not-armed", {}, file.ended)];
  const fired = file.of("canary.fired").find(({ seq }) => seq > armed.seq);
  return fired === undefined
    ? [finding("validity", "canary-silent", { delayMs: armed.delayMs }, armed, file.ended)]
    : [];
}

/** A subject without a canary has to be one to which no alarm is owed: none was ever seen, nor a job that needs one. */
function checkNothingOwed(file: CaseFile, notOffered: JournalRecord<"canary.not-offered">): Finding[] {
  const read = file.of("snapshot.jobs");
  const owing = read.filter(
    ({ alarmAt, alarmUnknown, jobs, error }) =>
      alarmAt !== null || alarmUnknown || jobs.length > 0 || error !== null,
  );
  if (read.length > 0 && owing.length === 0) return [];
  return [finding("validity", "canary-missing", { why: notOffered.why }, notOffered, owing, file.ended)];
}

/** Whether there is a runtime that owes alarms at all; a process has none that could have failed to wake it. */
export function alarmsOffered(file: CaseFile): boolean {
  return file.of("canary.armed").length > 0 || file.of("canary.not-offered").length === 0;
}

/** Whether the canary's alarm came after the last host loss, so that it vouches for alarms of after it. */
export function canaryVouches(file: CaseFile): boolean {
  const from = file.lastLoss?.from ?? 0;
  return file.of("canary.fired").some(({ seq }) => seq > from);
}
