/**
 * The resets that were performed, and which of them were one act on one process: what trials lose together is one
 * cluster for statistics. Leaves to the gates whether a reset took the host away.
 */
import type { Verdict } from "../trace/verdict.ts";
import type { CaseFile } from "./case-file.ts";
import { seqsOf } from "./finding.ts";

export function listResets(file: CaseFile): Verdict["resets"] {
  return file.resets.map(({ ordinal, requested, performed }) => ({
    ordinal,
    reset: performed.reset,
    cluster: performed.process?.cluster ?? null,
    evidence: seqsOf(requested, performed),
  }));
}
