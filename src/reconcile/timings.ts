/** Durations from the first reset, on the ledger's clock. Null means that it did not happen while anybody watched. */
import { z } from "zod";
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";
import { completionOf } from "./case-file.ts";
import { lastAnswerBefore } from "./who.ts";

const Duration = z.number().nullable();

/**
 * From the first reset, in ms of the ledger's clock; null when it did not happen while anybody watched (censored).
 * Settled is when the operation's last model answer was recorded, not when a client came to ask. Where the kit itself
 * started the process that is the subject, there is no time to the activation, and the others begin with it.
 */
export const Timings = z.strictObject({
  resetToActivationMs: Duration,
  resetToProgressMs: Duration,
  resetToSettledMs: Duration,
  /**
   * Why there is no time although the operation settled. `observed-late`: no model answer ended it, so that it was
   * first seen when a client asked. `before-reset`: it had settled before the reset.
   */
  settledNote: z.enum(["observed-late", "before-reset"]).nullable(),
});
export type Timings = z.infer<typeof Timings>;

export const NO_TIMINGS: Timings = {
  resetToActivationMs: null,
  resetToProgressMs: null,
  resetToSettledMs: null,
  settledNote: null,
};

export function measureTimings(file: CaseFile): Timings {
  const reset = file.resets[0];
  if (reset === undefined) return NO_TIMINGS;
  const activation = file.activations.find(
    ({ seq, late, activation: id }) => seq > reset.from && !late && id !== reset.owner?.activation,
  );
  // A process that the kit started is back when the kit starts it: what counts is what it does from then on.
  const started = activation?.cause === "process-start" ? activation : undefined;
  const start = started?.at ?? reset.lostAt;
  const since = (record: JournalRecord | undefined) => (record === undefined ? null : record.at - start);
  const startSeq = activation?.seq ?? reset.performed.seq;
  const progress = file.records.find(
    (record) =>
      record.seq > startSeq &&
      (record.type === "attempt.received" ||
        (record.type === "model.requested" && record.purpose === "turn")) &&
      record.seq < file.probeFrom,
  );
  const { settled, note } = settledBy(file, reset.from);
  return {
    resetToActivationMs: started === undefined ? since(activation) : null,
    resetToProgressMs: since(progress),
    resetToSettledMs: since(settled),
    settledNote: note,
  };
}

/**
 * When the journal first shows the operation's last answer. A client learns of it only when it asks, which is after
 * the quiet interval; the model answered when it answered.
 */
function settledBy(
  file: CaseFile,
  reset: number,
): { settled: JournalRecord | undefined; note: Timings["settledNote"] } {
  const completion = completionOf(file);
  if (completion === null) return { settled: undefined, note: null };
  const answer = lastAnswer(file, completion.seq);
  if (answer === undefined) return { settled: undefined, note: "observed-late" };
  if (answer.seq < reset) return { settled: undefined, note: "before-reset" };
  return { settled: answer, note: null };
}

/** The last answer that ended a turn of the operation, as opposed to the probe's; none where a rule ended it. */
function lastAnswer(file: CaseFile, until: number): JournalRecord<"model.answered"> | undefined {
  if (file.settled !== null && file.settled.status !== "done") return undefined;
  return lastAnswerBefore(file, until) ?? undefined;
}
