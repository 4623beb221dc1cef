/**
 * Gate: the runtime itself keeps its promises. The canary is an object that only sets an alarm; when it stays
 * silent, a subject that did not come back proves nothing about its harness.
 */

import type { Finding } from "../../trace/verdict.ts";
import type { CaseFile } from "../case-file.ts";
import { finding } from "../finding.ts";

export function checkRuntime(file: CaseFile): Finding[] {
  // Without a reset no alarm is owed to anybody, so the trial rests on no promise of the runtime.
  if (file.spec.factors.reset === "none") return [];
  const armed = file.of("canary.armed")[0];
  if (armed === undefined) return [finding("validity", "canary-not-armed", {}, file.ended)];
  const fired = file.of("canary.fired").find(({ seq }) => seq > armed.seq);
  return fired === undefined
    ? [finding("validity", "canary-silent", { delayMs: armed.delayMs }, armed, file.ended)]
    : [];
}

/** Whether the canary's alarm came after the last host loss, so that it vouches for alarms of after it. */
export function canaryVouches(file: CaseFile): boolean {
  const from = file.lastLoss?.from ?? 0;
  return file.of("canary.fired").some(({ seq }) => seq > from);
}
