/**
 * The resets that were performed, and which of them were one act on one process: what trials lose together is one
 * cluster for statistics. Leaves to the gates whether a reset took the host away.
 */
import { z } from "zod";
import { OpaqueId } from "../trace/ids.ts";
import { Reset } from "../trace/levels.ts";
import { Target } from "../trace/targets.ts";
import type { CaseFile } from "./case-file.ts";
import { Evidence, seqsOf } from "./finding.ts";

/**
 * The resets that were performed. Those of one `cluster` were one act on one process, which other trials shared;
 * null when the reset hit this trial alone.
 */
export const ListedResets = z.array(
  z.strictObject({
    ordinal: z.number().int().min(1),
    reset: Reset,
    /** Absent for the object. */
    target: Target.optional(),
    cluster: OpaqueId.nullable(),
    evidence: Evidence,
  }),
);
export type ListedResets = z.infer<typeof ListedResets>;

export function listResets(file: CaseFile): ListedResets {
  return file.resets.map(({ ordinal, requested, performed }) => ({
    ordinal,
    reset: performed.reset,
    ...(file.spec.factors.target === undefined ? {} : { target: file.spec.factors.target }),
    cluster: performed.process?.cluster ?? null,
    evidence: seqsOf(requested, performed),
  }));
}
