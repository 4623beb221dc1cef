/**
 * Where successive reads of one log have got to. A stream of events may lose some; what counts is whether
 * reading them again brings them back.
 */

import { mergeRanges, numbersWithin, withoutNumbers } from "./ranges.ts";
import type { Gap, LogInspection } from "./session-log.ts";

export type LogCursor = {
  /** Highest sequence number seen or known to exist, to go on after; null before the first. */
  readonly after: number | null;
  /** Sequence numbers at or below `after` that no read has shown yet, or that a later read lacked. */
  readonly missing: readonly Gap[];
};

export const LOG_START: LogCursor = { after: null, missing: [] };

/** From where to read in order to repair the earliest gap; `needed: false` when nothing is missing. */
export function repairRead(
  cursor: LogCursor,
): { readonly needed: false } | { readonly needed: true; readonly after: number | null } {
  const [first] = cursor.missing;
  if (first === undefined) return { needed: false };
  return { needed: true, after: first.from === 0 ? null : first.from - 1 };
}

/**
 * The cursor after one more read, and the numbers which that read brought back. A read that began earlier than
 * the cursor and lacks events seen before adds them to the missing ones: a log that forgets is a finding.
 */
export function advance(
  cursor: LogCursor,
  read: Pick<LogInspection, "events" | "gaps">,
): { readonly cursor: LogCursor; readonly repaired: readonly Gap[] } {
  const seen = [...new Set(read.events.map((event) => event.seq))];
  const missing = withoutNumbers(mergeRanges([...cursor.missing, ...read.gaps]), seen);
  const highest = [...seen, ...missing.map(({ to }) => to)].reduce(
    (a, b) => Math.max(a, b),
    cursor.after ?? -1,
  );
  return {
    cursor: { after: highest < 0 ? null : highest, missing },
    repaired: numbersWithin(cursor.missing, seen),
  };
}
