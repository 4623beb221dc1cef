/**
 * Whether an activation found the storage of the one before it: by the marker, by the durable generation counter and
 * by whether the known operation was taken for a new one. Shared by the session and the executor axis.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";

export type StateReading = {
  readonly value: "kept" | "gone" | "unknown";
  /** Why; for `unknown`, the observation that is missing or contradicts another. */
  readonly code: string;
  readonly records: readonly { readonly seq: number }[];
};

export function readState(file: CaseFile, activation: JournalRecord<"subject.activated">): StateReading {
  const written = file.of("marker.written")[0];
  if (written === undefined || written.seq > activation.seq)
    return { value: "unknown", code: "marker.written", records: [] };
  const before = file.activations.find(({ activation: id }) => id === written.activation);
  if (before === undefined) return { value: "unknown", code: "subject.activated", records: [written] };
  const records = [written, before];
  if (activation.marker === null) return { value: "gone", code: "marker-gone", records };
  if (activation.marker !== file.spec.marker) return { value: "unknown", code: "marker-of-another", records };
  if (activation.generation <= before.generation)
    return { value: "gone", code: "generation-restarted", records };
  if (activation.object !== before.object) return { value: "unknown", code: "object-of-another", records };
  if (file.resubmitted !== null && file.submitted?.accepted === true)
    return {
      value: "gone",
      code: "known-operation-accepted-as-new",
      records: [file.submitted, file.resubmitted],
    };
  // A submission whose call failed says nothing about what the object knows.
  const again = file
    .of("operation.submitted")
    .find(({ purpose, accepted }) => purpose === "again" && accepted !== null);
  if (again === undefined && file.spec.factors.reconnect !== "never")
    return { value: "kept", code: "resubmission-not-tried", records };
  return { value: "kept", code: "marker-kept", records: again === undefined ? records : [...records, again] };
}
