/** What an upgrade changes, as a value. Leaves computing it to `compare-upgrade.ts`, and sentences to whoever shows it. */
import { z } from "zod";
import { SetName } from "../trace/spec.ts";
import { Comparison } from "./comparison.ts";

export const UPGRADE_SCHEMA = "opencode-do-recovery-kit/upgrade/1";

const Changed = z.strictObject({ gone: z.array(z.string()), new: z.array(z.string()) });

/**
 * `unreadable`: no trial is valid, and the code said of a table of the storage that it cannot read it. `unknown`: some trial
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
  /** What lies in storage and in the log under the second set, against the first. Columns as `table.column: declaration`. */
  storage: z.strictObject({
    tables: Changed,
    indexes: Changed,
    eventTypes: Changed,
    /** After an upgrade in flight, against storage that the second set made itself. */
    leftOver: Changed,
    /** What a reading could not decode, in its own words. */
    undecodable: z.strictObject({ inFlight: z.array(z.string()), back: z.array(z.string()) }),
  }),
  /** What the code said after the upgrade instead of going on, in its own words. */
  refusals: z.strictObject({ inFlight: z.array(z.string()), back: z.array(z.string()) }),
  answers: z.strictObject({ upgrade: Answer, inFlight: Answer, back: Answer }),
});
export type UpgradeComparison = z.infer<typeof UpgradeComparison>;

/** One condition that differs in its answers to one question. */
export type UpgradeFinding = {
  readonly of: keyof UpgradeComparison["comparisons"];
  readonly condition: string;
  readonly question: string;
};
