/**
 * The cursor of a client that follows the session's log and outlives its host: after the reset it reads on from where the
 * look had come to. Reading the whole log once more is another thing, and is done at the end (phases.ts).
 *
 * Leaves to others: what a cursor is and what a read adds to it (src/inspect/log-cursor.ts), reading (snapshots.ts).
 */
import { advance, LOG_START, type LogCursor, repairRead } from "../inspect/log-cursor.ts";
import { plannedResets } from "../trace/resets.ts";
import type { Recorder } from "./recorder.ts";
import { snapshotLog } from "./snapshots.ts";

/** The look's record is there already. */
const LOOKED_MS = 1;

/**
 * Reads on, and where events are missing then, once more from before the first of them. Does nothing in a trial without a
 * reset or of a subject without a log.
 */
export async function readOn(recorder: Recorder): Promise<void> {
  const { subject, spec } = recorder;
  if (plannedResets(spec.factors).length === 0) return;
  // The journal keeps the cursor, so that it survives the loss of the controller too.
  const look = await recorder.awaitRecord("look", ["snapshot.log"], LOOKED_MS, ({ when }) => when === "look");
  if (look?.offered !== true) return;
  const losing = spec.sabotage === "recorder-gap";
  const readFrom = async (name: string, after: number | null, cursor: LogCursor) => {
    const draft = await recorder.act(name, () => snapshotLog(subject, "reconnect", losing, after));
    return draft.type === "snapshot.log" ? advance(cursor, draft).cursor : cursor;
  };
  const { cursor } = advance(LOG_START, look);
  const further = await readFrom("reconnect:log", cursor.after, cursor);
  const repair = repairRead(further);
  if (repair.needed) await readFrom("reconnect:repair", repair.after, further);
}
