/**
 * Gate: the runtime itself keeps its promises. The canary is an object that only sets an alarm; when it stays
 * silent, a subject that did not come back proves nothing about its harness.
 */

import type { JournalRecord } from "../../trace/records.ts";
import { traitsOf } from "../../trace/resets.ts";
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

/** A witness that fired this much late, in ms, vouches for no alarm. */
const LATE_MS_MAX = 5_000;

/**
 * Why the alarm witness does not vouch for the subject's alarms after the last host loss, as a finding; null when it
 * does, or where there is no runtime that owes alarms.
 */
export function doubtOfRuntime(file: CaseFile): Finding | null {
  const { lastLoss } = file;
  const all = file.of("canary.fired");
  if (lastLoss === null || all.length === 0) return null;
  // Where nothing shows that the host was lost, nothing is owed that a witness could vouch for.
  if (lastLoss.successor === null && lastLoss.performed.process === null) return null;
  const after = all.filter(({ seq }) => seq > lastLoss.from);
  if (after.length === 0)
    return finding("validity", "canary-fired-before-reset", {}, all, lastLoss.performed);
  const onTime = after.filter(({ lateMs }) => lateMs <= LATE_MS_MAX);
  if (onTime.length === 0)
    return finding("validity", "canary-late", { lateMs: Math.round(after[0]?.lateMs ?? 0) }, after);
  const here = onTime.find(({ isolate }) => isOurs(file, isolate));
  return here === undefined
    ? finding("validity", "canary-elsewhere", { isolate: onTime[0]?.isolate ?? "" }, onTime, file.newest)
    : null;
}

/**
 * Whether the isolate is one in which the subject can have been after the loss. An object's own reset leaves the isolate;
 * the end of its process does not.
 */
function isOurs(file: CaseFile, isolate: string): boolean {
  const { lastLoss } = file;
  if (lastLoss === null) return true;
  const after = file.activations.filter(({ seq, late }) => seq > lastLoss.from && !late);
  if (after.some((one) => one.isolate === isolate)) return true;
  const stays = traitsOf(lastLoss.performed.reset)?.takes === "object";
  const before = file.activations.some((one) => one.seq < lastLoss.from && one.isolate === isolate);
  return stays ? before : after.length === 0 && !before;
}
