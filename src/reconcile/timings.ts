/** Durations from the first reset, on the ledger's clock. Null means that it did not happen while anybody watched. */
import type { JournalRecord } from "../trace/records.ts";
import type { Verdict } from "../trace/verdict.ts";
import type { CaseFile } from "./case-file.ts";
import { isAnswered } from "./case-file.ts";

export function measureTimings(file: CaseFile): Verdict["timings"] {
  const reset = file.resets[0];
  if (reset === undefined)
    return { resetToActivationMs: null, resetToProgressMs: null, resetToSettledMs: null };
  const activation = file.activations.find(
    ({ seq, late, activation: id }) => seq > reset.from && !late && id !== reset.owner?.activation,
  );
  // The object may be back before the reset's performer has reported: then the request is the start.
  const early = activation !== undefined && activation.seq < reset.performed.seq;
  const start = early ? (reset.requested?.at ?? reset.performed.at) : reset.performed.at;
  const since = (record: JournalRecord | undefined) => (record === undefined ? null : record.at - start);
  const startSeq = activation?.seq ?? reset.performed.seq;
  const progress = file.records.find(
    (record) =>
      record.seq > startSeq &&
      (record.type === "attempt.received" ||
        (record.type === "model.requested" && record.purpose === "turn")) &&
      record.seq < (file.probe?.seq ?? Number.POSITIVE_INFINITY),
  );
  const settled = file
    .of("operation.settled")
    .find((record) => record.seq > reset.from && isAnswered(record));
  return {
    resetToActivationMs: since(activation),
    resetToProgressMs: since(progress),
    resetToSettledMs: since(settled),
  };
}
