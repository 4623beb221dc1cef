/**
 * What the judge says about one trial. Session restored, execution resumed and effects counted are three
 * answers; there is no overall pass.
 *
 * Every axis lists the `seq` numbers of the records that decide it. `unknown` means that the evidence cannot
 * decide. Leaves computing it to `src/reconcile`.
 */
import { z } from "zod";
import { Action, Count, OpaqueId, TrialId } from "./ids.ts";
import { Reset } from "./levels.ts";
import { HostIdentity } from "./spec.ts";

export const VERDICT_SCHEMA = "opencode-do-recovery-kit/verdict/1";

const Evidence = z.array(z.number().int().min(1));

/** An answer with the records that decide it, and a short machine-readable reason. */
function axis<T extends z.ZodType>(value: T) {
  return z.strictObject({ value, code: z.string(), evidence: Evidence });
}

export const SessionValue = z.enum([
  "restored",
  "restored-damaged",
  "intact-not-reactivated",
  "lost",
  "unknown",
]);
export const ExecutionValue = z.enum([
  "resumed",
  "settled-by-policy",
  "not-resumed",
  "not-interrupted",
  "unknown",
]);
export const ExecutorValue = z.enum([
  "same",
  "replacement-with-state",
  "replacement-without-state",
  "none",
  "indistinguishable",
  "unknown",
]);
export const RepeatCause = z.enum([
  "model-reissue",
  "runtime-replay",
  "caller-resubmit",
  "tool-internal-retry",
  "concurrent-owner",
  "late-commit",
  "unknown",
]);
export const Flag = z.enum(["ok", "duplicate", "lost", "unresolved", "unknown"]);
export const Party = z.enum(["none", "runtime", "harness", "host", "model", "kit", "unknown"]);

/** Something worth a reader's attention: facts and a code; the sentence is composed by whoever shows it. */
export const Finding = z.strictObject({
  code: z.string(),
  axis: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  evidence: Evidence,
});
export type Finding = z.infer<typeof Finding>;

const Duration = z.number().nullable();

export const Verdict = z.strictObject({
  schema: z.literal(VERDICT_SCHEMA),
  trial: TrialId.nullable(),
  condition: z.string().nullable(),
  host: HostIdentity.nullable(),
  /** `valid`: the fault was delivered and the evidence is whole. */
  validity: z.strictObject({
    value: z.enum(["valid", "invalid"]),
    reasons: z.array(Finding),
  }),
  /**
   * The resets that were performed. Those of one `cluster` were one act on one process, which other trials shared;
   * null when the reset hit this trial alone.
   */
  resets: z.array(
    z.strictObject({
      ordinal: z.number().int().min(1),
      reset: Reset,
      cluster: OpaqueId.nullable(),
      evidence: Evidence,
    }),
  ),
  session: axis(SessionValue),
  execution: axis(ExecutionValue),
  executor: axis(ExecutorValue),
  /** Whether the object came back before any client asked for it, and after how many ms from the last reset. */
  autonomous: axis(z.enum(["yes", "no", "not-applicable", "unknown"])).extend({ wokeAfterMs: Duration }),
  stuck: axis(z.enum(["yes", "no", "unknown"])),
  rebinding: z.strictObject({
    identity: z.enum(["same", "different", "unknown"]),
    generationBefore: Count.nullable(),
    generationAfter: Count.nullable(),
    oldWork: z.enum(["continued", "interrupted", "unknown"]),
    result: z.enum(["recovered", "reconstructed", "none", "unknown"]),
    newWork: z.enum(["admitted", "refused", "untested"]),
    evidence: Evidence,
  }),
  /** One per intended action, in the scenario's order, then actions that nobody intended. */
  operations: z.array(
    z.strictObject({
      action: Action,
      intended: Count,
      attempts: Count,
      effects: Count,
      flags: z.array(Flag),
      evidence: Evidence,
    }),
  ),
  /** Why there was more than one attempt; empty when there was not. One entry per repeated attempt. */
  repeats: z.array(
    z.strictObject({ attempt: z.number().int().min(1), cause: RepeatCause, evidence: Evidence }),
  ),
  /**
   * Calls recorded as failed although their effect committed, or the reverse. `absent`: the session's own record does
   * not have the call.
   */
  callMismatches: z.array(
    z.strictObject({
      call: z.string(),
      recorded: z.enum(["failed", "succeeded", "absent"]),
      committed: z.boolean(),
      evidence: Evidence,
    }),
  ),
  /** Calls without a terminal record at the end. */
  openCalls: z.array(z.string()),
  openAttempts: z.array(z.number().int().min(1)),
  /** Whom the first deviation is attributed to: runtime before harness before host before model. */
  attribution: axis(Party),
  /**
   * From the first reset, in ms of the ledger's clock; null when it did not happen while anybody watched (censored).
   * Settled is when the operation's last model answer was recorded, not when a client came to ask. Where the kit itself
   * started the process that is the subject, there is no time to the activation, and the others begin with it.
   */
  timings: z.strictObject({
    resetToActivationMs: Duration,
    resetToProgressMs: Duration,
    resetToSettledMs: Duration,
    /**
     * Why there is no time although the operation settled. `observed-late`: no model answer ended it, so that it was
     * first seen when a client asked. `before-reset`: it had settled before the reset.
     */
    settledNote: z.enum(["observed-late", "before-reset"]).nullable(),
  }),
  usage: z.strictObject({ modelCalls: Count, titleCalls: Count, inputTokens: Count, outputTokens: Count }),
  transcript: z.strictObject({
    cursorBefore: z.number().int().nullable(),
    cursorAfter: z.number().int().nullable(),
    missing: z.array(z.number().int()),
    damaged: z.array(z.number().int()),
  }),
  /** Distinct effects acknowledged ≤ effects committed ≤ attempts received. A breach means that the kit is wrong. */
  law: z.strictObject({ acknowledged: Count, committed: Count, received: Count, holds: z.boolean() }),
  findings: z.array(Finding),
});
export type Verdict = z.infer<typeof Verdict>;
