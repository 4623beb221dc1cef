/**
 * Readings of the object's storage from its files, for moments at which a request would wake it. The controller cannot reach
 * files: it asks in the journal, and whoever runs the trials reads and answers.
 */
import type { JournalRecord } from "../trace/records.ts";
import { plannedResets, takesHost } from "../trace/resets.ts";
import { targetTraits } from "../trace/targets.ts";
import type { Recorder } from "./recorder.ts";

/** How long the runner may take, in ms: it may be busy with other trials. */
const READING_MS = 30_000;

type Occasion = "quiet" | "collect";

/** `because`: the record that gave the occasion. */
export async function requestReading(recorder: Recorder, when: Occasion, because: number): Promise<void> {
  await recorder.record(`reading-requested:${when}`, {
    source: "controller",
    type: "reading.requested",
    when,
    because,
  });
}

/** Waits for what was requested. False when the runner did not answer in time. */
export async function readingMade(recorder: Recorder, when: Occasion): Promise<boolean> {
  const last = await recorder.awaitRecord(
    `reading of the files (${when})`,
    ["snapshot.schema"],
    READING_MS,
    (record) => record.how === "offline" && record.when === when,
  );
  return last !== null;
}

/**
 * The request of the last loss, if the object has not come back since and no client reached it; null otherwise, and where
 * nothing was to be lost.
 */
export async function stayedAway(recorder: Recorder): Promise<number | null> {
  const loss = await lastLoss(recorder);
  if (loss === null) return null;
  const back = await recorder.find(
    ["subject.activated", "client.reconnected", "operation.submitted", "probe.submitted"],
    loss.seq,
    (record) => record.type === "subject.activated" || record.error === null,
  );
  return back === null ? loss.seq : null;
}

/** The first activation since the last loss that failed; null where none did. */
export async function failedToOpen(recorder: Recorder): Promise<number | null> {
  const loss = await lastLoss(recorder);
  if (loss === null) return null;
  return (await recorder.find(["activation.failed"], loss.seq))?.seq ?? null;
}

async function lastLoss(recorder: Recorder): Promise<JournalRecord<"reset.requested"> | null> {
  const planned = plannedResets(recorder.spec.factors);
  const last = planned.at(-1);
  if (last === undefined || !takesHost(last) || !targetTraits(recorder.spec.factors).losesObject) return null;
  return await recorder.find(["reset.requested"], 0, ({ ordinal }) => ordinal === planned.length);
}
