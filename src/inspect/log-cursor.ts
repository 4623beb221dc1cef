/**
 * Where successive reads of one log have got to. A stream of events may lose some; what counts is whether
 * reading them again brings them back.
 */
import type { Gap, LogInspection } from "./log.ts";

export type LogCursor = {
  /** Highest sequence number seen, to go on after; null before the first event. */
  readonly after: number | null;
  /** Sequence numbers at or below `after` that no read has shown yet. */
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
 * The cursor after one more read, and the gaps which that read repaired. A read that began earlier than the
 * cursor and lacks events seen before adds them to the missing ones: a log that forgets is a finding.
 */
export function advance(
  cursor: LogCursor,
  read: Pick<LogInspection, "events" | "gaps">,
): { readonly cursor: LogCursor; readonly repaired: readonly Gap[] } {
  const seen = new Set(read.events.map((event) => event.seq));
  const before = cursor.missing.flatMap(numbersOf);
  const missing = new Set([...before, ...read.gaps.flatMap(numbersOf)]);
  for (const seq of seen) missing.delete(seq);
  // A gap up to the watermark lies beyond the last event: it is skipped, too, and stays listed as missing.
  const highest = Math.max(cursor.after ?? -1, ...seen, ...missing);
  return {
    cursor: { after: highest < 0 ? null : highest, missing: gapsOf([...missing]) },
    repaired: gapsOf(before.filter((seq) => seen.has(seq))),
  };
}

function numbersOf({ from, to }: Gap): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function gapsOf(seqs: readonly number[]): Gap[] {
  const gaps: { from: number; to: number }[] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const last = gaps.at(-1);
    if (last !== undefined && last.to === seq - 1) last.to = seq;
    else gaps.push({ from: seq, to: seq });
  }
  return gaps;
}
