/** Where the session log stood before the first reset and at the end, and which of its events went missing or changed. */
import { z } from "zod";
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";
import { lostBetween } from "./log-continuity.ts";

export const Transcript = z.strictObject({
  cursorBefore: z.number().int().nullable(),
  cursorAfter: z.number().int().nullable(),
  missing: z.array(z.number().int()),
  damaged: z.array(z.number().int()),
});
export type Transcript = z.infer<typeof Transcript>;

export const NO_TRANSCRIPT: Transcript = {
  cursorBefore: null,
  cursorAfter: null,
  missing: [],
  damaged: [],
};

export function compareTranscript(file: CaseFile): Transcript {
  const { look, collect } = file;
  const { missing, changed } =
    look !== null && collect.log?.offered && collect.log.error === null
      ? lostBetween(look, collect.log, file.spec.operationId)
      : { missing: [], changed: [] };
  return {
    cursorBefore: cursorOf(look),
    cursorAfter: cursorOf(collect.log),
    missing,
    damaged: changed,
  };
}

function cursorOf(log: JournalRecord<"snapshot.log"> | null): number | null {
  if (log === null || !log.offered) return null;
  return log.synced ?? log.events.at(-1)?.seq ?? null;
}
