/** Where the session log stood before the first reset and at the end, and which of its events went missing or changed. */
import { z } from "zod";
import { Count } from "../trace/ids.ts";
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";
import { isSame, lostBetween } from "./log-continuity.ts";

export const Transcript = z.strictObject({
  cursorBefore: z.number().int().nullable(),
  cursorAfter: z.number().int().nullable(),
  /** Numbers of events that are gone, and of those that are others; null where nothing could be compared. */
  missing: z.array(z.number().int()).nullable(),
  damaged: z.array(z.number().int()).nullable(),
  /**
   * The log read on from the cursor of before the reset, held against the whole log at the end; null where nobody read
   * on. `repaired`: numbers that a read had lacked and that the whole log has. `missing`: those that the read-on had and
   * the whole log has not. `reordered`: those under which the two have different events.
   */
  readOn: z
    .strictObject({
      after: z.number().int().nullable(),
      events: Count,
      repaired: z.array(z.number().int()),
      missing: z.array(z.number().int()),
      reordered: z.array(z.number().int()),
    })
    .nullable(),
});
export type Transcript = z.infer<typeof Transcript>;

export const NO_TRANSCRIPT: Transcript = {
  cursorBefore: null,
  cursorAfter: null,
  missing: null,
  damaged: null,
  readOn: null,
};

export function compareTranscript(file: CaseFile): Transcript {
  const { look, collect } = file;
  const { missing, changed } =
    look !== null && collect.log?.offered && collect.log.error === null
      ? lostBetween(look, collect.log, file.spec.operationId)
      : { missing: null, changed: null };
  return {
    cursorBefore: cursorOf(look),
    cursorAfter: cursorOf(collect.log),
    missing,
    damaged: changed,
    readOn: readOnFrom(file),
  };
}

function readOnFrom(file: CaseFile): Transcript["readOn"] {
  const { log } = file.collect;
  const on = file.of("snapshot.log").findLast(({ when }) => when === "reconnect");
  if (on === undefined || on.error !== null || !on.offered) return null;
  if (log === null || log.error !== null || !log.offered) return null;
  const whole = new Map(log.events.map((event) => [event.seq, event]));
  const seen = new Set(on.events.map(({ seq }) => seq));
  const last = Math.max(on.after ?? -1, ...seen);
  return {
    after: on.after,
    events: on.events.length,
    repaired: [...whole.keys()].filter((seq) => seq > (on.after ?? -1) && seq <= last && !seen.has(seq)),
    missing: [...seen].filter((seq) => !whole.has(seq)),
    reordered: on.events.flatMap((event) => {
      const found = whole.get(event.seq);
      return found === undefined || isSame(event, found) ? [] : [event.seq];
    }),
  };
}

function cursorOf(log: JournalRecord<"snapshot.log"> | null): number | null {
  if (log === null || !log.offered) return null;
  return log.synced ?? log.events.at(-1)?.seq ?? null;
}
