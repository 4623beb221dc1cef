/** What an upgrade changes, as a value. Leaves computing it to `compare-upgrade.ts`, and sentences to whoever shows it. */
import { z } from "zod";
import { Verdict } from "../reconcile/verdict.ts";
import { Count } from "../trace/ids.ts";
import { SetName } from "../trace/spec.ts";
import { Comparison } from "./comparison.ts";
import { StoredChange } from "./stored-changes.ts";

export const UPGRADE_SCHEMA = "opencode-do-recovery-kit/upgrade/2";

const Sign = z.strictObject({
  condition: z.string(),
  /** The first of its code. */
  finding: Verdict.shape.findings.element,
  trials: Count,
});
export type Sign = z.infer<typeof Sign>;

const CrashLoop = z.strictObject({
  condition: z.string(),
  /** Of the first trial that has one. */
  crashes: Verdict.shape.stuck.shape.crashes.unwrap(),
  trials: Count,
});

/**
 * `differs`: in the answers of a condition or in signs of loss, or rows are gone or cannot be decoded. `unreadable`: the code said of the storage that it cannot read
 * it, or something in it. `unknown`: some trial
 * is invalid or missing, and those that are valid do not differ.
 */
const Answer = z.enum(["same", "differs", "unreadable", "unknown", "not-measured"]);

export const UpgradeComparison = z.strictObject({
  schema: z.literal(UPGRADE_SCHEMA),
  run: z.string(),
  experiment: z.string().nullable(),
  sets: z.strictObject({ from: SetName, to: SetName }),
  /** What the two sets come to, where they differ. */
  environment: Comparison.shape.environment,
  /**
   * `upgrade`: all under the second set, against all under the first. `inFlight`: state of the first set recovered by the
   * second, against the second set's own. `back`: state of the second set recovered by the first, against the first set's own.
   */
  comparisons: z.strictObject({ upgrade: Comparison, inFlight: Comparison, back: Comparison }),
  /** Signs of lost state that a way has in some valid trial of a condition, and the other way in none. */
  signs: z.strictObject({ upgrade: z.array(Sign), inFlight: z.array(Sign), back: z.array(Sign) }),
  /** Crash loops, one for each condition that has any under the way and none under the other. */
  crashLoops: z.strictObject({
    upgrade: z.array(CrashLoop),
    inFlight: z.array(CrashLoop),
    back: z.array(CrashLoop),
  }),
  /** What lies in storage and in the log, between the same ways. `inFlight`: what the second set would not have made itself. */
  storage: z.strictObject({
    upgrade: z.array(StoredChange),
    inFlight: z.array(StoredChange),
    back: z.array(StoredChange),
  }),
  /** What the code said after the upgrade instead of going on, in its own words. */
  refusals: z.strictObject({ inFlight: z.array(z.string()), back: z.array(z.string()) }),
  answers: z.strictObject({ upgrade: Answer, inFlight: Answer, back: Answer }),
});
export type UpgradeComparison = z.infer<typeof UpgradeComparison>;

/**
 * One condition that differs in its answers to one question, or by `sign <code>`; or the storage of a subject, whose question is `emptied <table>`
 * or `undecodable`.
 */
export type UpgradeFinding = {
  readonly of: keyof UpgradeComparison["comparisons"];
  readonly condition: string;
  readonly question: string;
};
