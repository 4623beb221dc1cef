/** What the tests mean by a pass. The kit itself has no overall pass: it gives three answers and never merges them. */
import type { Verdict } from "../verdict.ts";

export function isPass(verdict: Verdict): boolean {
  return (
    verdict.validity.value === "valid" &&
    verdict.session.value === "restored" &&
    (verdict.execution.value === "resumed" || verdict.execution.value === "not-interrupted") &&
    (verdict.executor.value === "same" || verdict.executor.value === "replacement-with-state") &&
    (verdict.autonomous.value === "yes" || verdict.autonomous.value === "not-applicable") &&
    verdict.stuck.value === "no" &&
    verdict.operations.length > 0 &&
    verdict.operations.every(({ flags }) => flags.length === 1 && flags[0] === "ok") &&
    verdict.openAttempts.length === 0 &&
    verdict.law.holds
  );
}

/** The part of a verdict that the recovery cases state, in their words. */
export function essence(verdict: Verdict) {
  return {
    trial: verdict.validity.value,
    reasons: verdict.validity.reasons.map(({ code }) => code),
    session: verdict.session.value,
    execution: verdict.execution.value,
    executor: verdict.executor.value,
    autonomous: verdict.autonomous.value,
    stuck: verdict.stuck.value,
    ops: Object.fromEntries(
      verdict.operations.map(({ action, attempts, effects, flags }) => [
        action,
        { attempts, effects, flags },
      ]),
    ),
    repeat: verdict.repeats.map(({ cause }) => cause),
    callMismatch: verdict.callMismatches.map(({ call }) => call),
    openCalls: verdict.openCalls,
    attribution: `${verdict.attribution.value}: ${verdict.attribution.code}`,
    findings: verdict.findings.map(({ code }) => code),
  };
}
