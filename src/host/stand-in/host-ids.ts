/**
 * Identifiers: host contract, section 5.1. A prefix, 16 hex digits (milliseconds × 4096 + a counter) and 12 base62
 * characters. Ids of one host sort in the order in which they were made, even where the clock stands still between
 * two I/O operations, as it does in a Durable Object.
 */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

type IdPrefix = "evt" | "msg" | "ses" | "prj";

export type Ids = { next(prefix: IdPrefix): string };

export function createIds(clock: () => number, random: () => number): Ids {
  let last = 0n;
  return {
    next(prefix) {
      const now = BigInt(clock()) * 4096n;
      last = now > last ? now : last + 1n;
      const time = last.toString(16).padStart(16, "0");
      const tail = Array.from({ length: 12 }, () => BASE62[Math.floor(random() * 62)]).join("");
      return `${prefix}_${time}${tail}`;
    },
  };
}

/** A message that an event created carries the event's id (host contract, section 6). */
export function messageIdOfEvent(eventID: string): string {
  return eventID.replace(/^evt_/, "msg_");
}
