/**
 * Whether an activation found the storage of the one before it: by the marker and by the durable generation counter.
 * Whether the session in that storage still knows its operation is another question (`axes/session.ts`).
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";

/** Why an activation counts as one with or without its state. */
export const STATE_CODES = {
  "subject.activated": "An activation did not report itself.",
  "marker.written": "The marker was not written before the activation in question.",
  "marker-of-another": "The marker that was read is not the one that was written.",
  "object-of-another": "The activation reports another object id.",
  "generation-restarted": "The durable generation counter began anew.",
  "marker-own": "The activation wrote the marker itself.",
  "marker-kept": "The marker and the generation counter went on.",
  "marker-gone": "The durable marker is gone.",
} as const;
export type StateCode = keyof typeof STATE_CODES;

type StateReading = {
  readonly value: "kept" | "gone" | "unknown";
  /** Why; for `unknown`, the observation that is missing or contradicts another. */
  readonly code: StateCode;
  readonly records: readonly { readonly seq: number }[];
};

export function readState(file: CaseFile, activation: JournalRecord<"subject.activated">): StateReading {
  const written = file.of("marker.written")[0];
  if (written === undefined || written.seq > activation.seq)
    return { value: "unknown", code: "marker.written", records: [] };
  const before = file.activations.find(({ activation: id }) => id === written.activation);
  if (before === undefined) return { value: "unknown", code: "subject.activated", records: [written] };
  const records = [written, before];
  // Its beacon says what it found when it began, before it wrote the marker itself.
  if (activation.activation === before.activation) return { value: "kept", code: "marker-own", records };
  if (activation.marker === null) return { value: "gone", code: "marker-gone", records };
  if (activation.marker !== file.spec.marker) return { value: "unknown", code: "marker-of-another", records };
  if (activation.generation <= before.generation)
    return { value: "gone", code: "generation-restarted", records };
  if (activation.object !== before.object) return { value: "unknown", code: "object-of-another", records };
  return { value: "kept", code: "marker-kept", records };
}
