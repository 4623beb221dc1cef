/**
 * The fingerprint of a piece of foreign data: two readings of one thing have the same, and a change anywhere in it shows,
 * also in fields that no observation keeps. The hash function is the caller's, as in `src/trace/chain.ts`.
 *
 * A thing read through its object and from its file has one fingerprint, because the readers of files put it together as
 * the harness gives it (stored-session.ts, stored-old-session.ts). An event never changes; a message does, while its turn
 * goes on and where the harness adds to it later. What only one of the two ways shows cannot be compared: transcripts of
 * harnesses without a reader of files, and the first event of a 1.18 server, which the server keeps to itself.
 */
import { byCodeUnit } from "../trace/by-code-unit.ts";
import type { HashText } from "../trace/index.ts";

/** How much of a SHA-256 an observation keeps. */
const HEX_DIGITS = 16;

/** Of the whole value, whatever the order in which its fields were written. */
export function contentHash(value: unknown, hash: HashText): string {
  return textHash(JSON.stringify(value, inOrder) ?? "undefined", hash);
}

/** Of a text as it stands. */
export function textHash(text: string, hash: HashText): string {
  return hash(text).slice(0, HEX_DIGITS);
}

/** For `JSON.stringify`: fields in the one order of names. What JSON has no word for is written as text. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b)));
}
