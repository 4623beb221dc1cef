/**
 * Records that others ask the ledger to append: who may append what, once per append id, and `trial.started` first.
 * The ledger answers `trial.started` with `ledger.configured` in the same transaction. A list is one transaction: all of it
 * is appended, or nothing.
 */

import { Refusal } from "../../src/link/admission.ts";
import { mayAppend, type RecordDraft } from "../../src/trace/index.ts";
import type {
  AppendListRequest,
  AppendListResponse,
  AppendRequest,
  AppendResponse,
} from "../../src/trace/protocol/ledger-protocol.ts";
import type { Ledger } from "./ledger.ts";
import { readConfig, readTrial, verifyOpen, verifyStarted } from "./trial.ts";

export function appendRecord(ledger: Ledger, request: AppendRequest): AppendResponse {
  return ledger.transact(() => appendOnce(ledger, request));
}

export function appendRecords(ledger: Ledger, { records }: AppendListRequest): AppendListResponse {
  return ledger.transact(() => ({ answers: records.map((request) => appendOnce(ledger, request)) }));
}

/** Part of the caller's transaction. */
function appendOnce(ledger: Ledger, { id, record }: AppendRequest): AppendResponse {
  verifyAllowed(record);
  const { name } = readTrial(ledger);
  // Asked first: a step that runs again after the trial ended is still answered.
  const earlier = ledger.journal.seqOfId(id);
  if (earlier !== undefined) return { seq: earlier, repeated: true };
  if (record.type !== "trial.started") {
    verifyStarted(ledger);
    return { seq: ledger.journal.append(record, id), repeated: false };
  }

  verifyOpen(ledger);
  if (ledger.journal.head().seq > 0)
    throw new Refusal("trial-already-started", "The trial has its trial.started record already.");
  if (record.spec.trial !== name)
    throw new Refusal("body-invalid", `body.record.spec.trial: expected "${name}", this trial's id.`);
  const seq = ledger.journal.append(record, id);
  const { destination, holds } = readConfig(ledger);
  ledger.journal.append({ source: "ledger", type: "ledger.configured", destination, holds });
  return { seq, repeated: false };
}

/** What the ledger itself observes, and the end that it computes, nobody may append in its place. */
function verifyAllowed({ source, type }: RecordDraft): void {
  if (type === "trial.ended")
    throw new Refusal("source-not-allowed", "trial.ended is recorded by POST /trials/:trial/end only.");
  if (source === "ledger" || !mayAppend(source, type))
    throw new Refusal("source-not-allowed", `The source ${source} may not append records of type ${type}.`);
}
