/**
 * Reads a stored trace line by line. Lines end with a line feed and nothing else, and are hashed as they stand, so
 * the lines are cut from the bytes here rather than by a reader that knows other line ends.
 *
 * Reads are synchronous: a trace is a few dozen kilobytes, and a round through the event loop for each of open, read
 * and close takes longer than judging it. One buffer serves all traces, so memory does not grow with their number.
 *
 * Whatever the file holds, time and memory are bounded: what is larger than any trace is a damaged trace, not a crash.
 */
import { hash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { type ParsedTrace, TraceReader } from "../../src/trace/file.ts";
import { openRegular } from "../base/regular-file.ts";

/** Far above any trial of the kit: a trace of 5,000 log events is about 2 MB, and a record is stored in 2 MB at most. */
const LIMITS = { bytes: 64 * 1024 * 1024, lineBytes: 4 * 1024 * 1024 } as const;
export type ReadLimits = { readonly bytes: number; readonly lineBytes: number };

const LINE_FEED = 0x0a;
/** Holds a whole trace of the usual size. */
const CHUNK_BYTES = 256 * 1024;
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);

export type StoredTrace = ParsedTrace & {
  /** Whether its end is there; a file that was cut is no trace of its trial. */
  readonly isWhole: boolean;
};

/** @throws UserError for what is no regular file, and the system's own error where it cannot be opened or read. */
export function readTrace(path: string, limits: ReadLimits = LIMITS): StoredTrace {
  const { file, bytes } = openRegular(path);
  try {
    const reader = new TraceReader((text) => hash("sha256", text, "hex"));
    // The file may still grow, so that its size alone would not keep a promise.
    if (bytes > limits.bytes) reader.tooLarge(`the file is larger than ${limits.bytes} bytes`);
    else readLines(file, bytes, reader, limits);
    return { ...reader.end(), isWhole: reader.isWhole };
  } finally {
    closeSync(file);
  }
}

/** The same of a trace that is in memory already. */
export function parseTraceBytes(bytes: Buffer, limits: ReadLimits = LIMITS): StoredTrace {
  const reader = new TraceReader((text) => hash("sha256", text, "hex"));
  if (bytes.length > limits.bytes) reader.tooLarge(`the file is larger than ${limits.bytes} bytes`);
  for (let from = 0; from < bytes.length && !reader.isGivenUp; ) {
    const found = bytes.indexOf(LINE_FEED, from);
    const to = found === -1 ? bytes.length : found;
    if (to - from > limits.lineBytes) reader.tooLarge(`a line is longer than ${limits.lineBytes} bytes`);
    else if (found === -1) reader.pushUnended(bytes.toString("utf8", from, to));
    else reader.push(bytes.toString("utf8", from, to));
    from = to + 1;
  }
  return { ...reader.end(), isWhole: reader.isWhole };
}

function readLines(file: number, size: number, reader: TraceReader, limits: ReadLimits): void {
  // The beginning of a line whose end has not been read yet.
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let bytes = 0;
  while (!reader.isGivenUp) {
    const filled = readSync(file, chunk, 0, CHUNK_BYTES, null);
    if (filled === 0) break;
    bytes += filled;
    if (bytes > limits.bytes) {
      reader.tooLarge(`the file is larger than ${limits.bytes} bytes`);
      return;
    }
    const read = chunk.subarray(0, filled);
    const end = read.lastIndexOf(LINE_FEED);
    if (end !== -1) {
      for (const line of textOf(begun, read.subarray(0, end)).split("\n")) reader.push(line);
      begun = [];
      begunBytes = 0;
    }
    if (end + 1 < filled) {
      begunBytes += filled - end - 1;
      if (begunBytes > limits.lineBytes) {
        reader.tooLarge(`a line is longer than ${limits.lineBytes} bytes`);
        return;
      }
      // A copy: the next read overwrites the buffer.
      begun.push(Buffer.from(read.subarray(end + 1)));
    }
    // A regular file ends where it ends: to be told so costs as much as to read.
    if (filled < CHUNK_BYTES && bytes >= size) break;
  }
  // Anything after the last line feed is a broken last line, and is read as such.
  if (begun.length > 0) reader.pushUnended(textOf(begun, chunk.subarray(0, 0)));
}

/**
 * Whole lines as text: a line feed is no part of any longer character, so none is cut. Bytes that are not UTF-8 become
 * replacement characters, so the line's hash no longer fits and the judge says so.
 */
function textOf(begun: readonly Buffer[], read: Buffer): string {
  return (begun.length === 0 ? read : Buffer.concat([...begun, read])).toString("utf8");
}
