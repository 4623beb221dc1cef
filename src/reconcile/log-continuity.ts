/**
 * Compares reads of one session log: the holes in a single read, and how an earlier read differs from the last.
 * Leaves to the checks what a hole or a difference means.
 */
import type { JournalRecord, LogEvent } from "../trace/records.ts";

type LogRead = JournalRecord<"snapshot.log">;
type Hole = { readonly from: number; readonly to: number };

/** Holes that the inspector reported, and those that the events themselves show. */
export function holesIn(log: LogRead): Hole[] {
  const holes: Hole[] = log.gaps.map(({ from, to }) => ({ from, to }));
  const add = (hole: Hole) => {
    if (!holes.some(({ from, to }) => from <= hole.from && to >= hole.to)) holes.push(hole);
  };
  const seqs = [...new Set(log.events.map(({ seq }) => seq))].sort((a, b) => a - b);
  seqs.forEach((seq, index) => {
    const previous = seqs[index - 1];
    if (previous !== undefined && seq !== previous + 1) add({ from: previous + 1, to: seq - 1 });
  });
  const last = seqs.at(-1) ?? log.after ?? -1;
  // An unreadable event counts as seen: the inspector says so, and the session axis calls it damage.
  if (log.synced !== null && log.synced > last && log.unreadable === 0)
    add({ from: last + 1, to: log.synced });
  return holes.sort((a, b) => a.from - b.from);
}

/** Whether two readings show the same event; by its content where both recorded a hash of it. */
export function isSame(one: LogEvent, other: LogEvent): boolean {
  const sameContent = one.hash === undefined || other.hash === undefined || one.hash === other.hash;
  return sameContent && one.type === other.type && one.call === other.call && one.message === other.message;
}

/**
 * What the earlier read shows and the later one does not, or shows otherwise. `kept` counts the events that only the
 * same log can have: those with an id that the host or the model made. A log that began anew has the same first events
 * and the caller's own ids (`callerId` is part of those), so they are no sign. Where the earlier read has no made id at
 * all, every event that is still there counts.
 */
export function lostBetween(
  earlier: LogRead,
  later: LogRead,
  callerId: string,
): { readonly missing: number[]; readonly changed: number[]; readonly kept: number } {
  const now = new Map<number, LogEvent>(later.events.map((event) => [event.seq, event]));
  const isMade = ({ call, message }: LogEvent) =>
    call !== undefined || (message !== undefined && !message.includes(callerId));
  const telling = earlier.events.some(isMade) ? earlier.events.filter(isMade) : earlier.events;
  const missing: number[] = [];
  const changed: number[] = [];
  const same = new Set<LogEvent>();
  for (const event of earlier.events) {
    const found = now.get(event.seq);
    if (found === undefined) missing.push(event.seq);
    else if (!isSame(event, found)) changed.push(event.seq);
    else same.add(event);
  }
  return { missing, changed, kept: telling.filter((event) => same.has(event)).length };
}
