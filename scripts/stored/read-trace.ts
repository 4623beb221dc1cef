/**
 * Reads a stored trace line by line. Lines end with a line feed and nothing else, and are hashed as they stand, so
 * the lines are cut from the bytes here rather than by a reader that knows other line ends.
 *
 * Reads are synchronous: a trace is a few dozen kilobytes, and a round through the event loop for each of open, read
 * and close takes longer than judging it. One buffer serves all traces, so memory does not grow with their number.
 *
 * A trace that is too large to hold is a damaged trace, not a crash: it is read up to the limit and says so.
 */
import { hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { type ParsedTrace, TraceReader } from "../../src/trace/file.ts";

/** Far above any trial of the kit: a trace of 5,000 log events is about 2 MB. */
const TRACE_BYTES_MAX = 128 * 1024 * 1024;

const LINE_FEED = 0x0a;
/** Holds a whole trace of the usual size. */
const CHUNK_BYTES = 256 * 1024;
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);

export type StoredTrace = ParsedTrace & {
  /** Whether its end is there; a file that was cut is no trace of its trial. */
  readonly isWhole: boolean;
};

export function readTrace(path: string, bytesMax = TRACE_BYTES_MAX): StoredTrace {
  const reader = new TraceReader((text) => hash("sha256", text, "hex"));
  const file = openSync(path, "r");
  try {
    return readLines(file, reader, bytesMax);
  } finally {
    closeSync(file);
  }
}

function readLines(file: number, reader: TraceReader, bytesMax: number): StoredTrace {
  // The beginning of a line whose end has not been read yet.
  let begun: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const filled = readSync(file, chunk, 0, CHUNK_BYTES, null);
    if (filled === 0) break;
    bytes += filled;
    if (bytes > bytesMax) {
      const parsed = reader.end();
      const detail = `the file is larger than ${bytesMax} bytes`;
      return {
        ...parsed,
        isWhole: false,
        problems: [...parsed.problems, { code: "too-large", line: 0, detail }],
      };
    }
    const read = chunk.subarray(0, filled);
    const end = read.lastIndexOf(LINE_FEED);
    if (end !== -1) {
      for (const line of textOf(begun, read.subarray(0, end)).split("\n")) reader.push(line);
      begun = [];
    }
    // A copy: the next read overwrites the buffer.
    if (end + 1 < filled) begun.push(Buffer.from(read.subarray(end + 1)));
  }
  // Anything after the last line feed is a broken last line, and is read as such.
  if (begun.length > 0) reader.push(textOf(begun, chunk.subarray(0, 0)));
  return { ...reader.end(), isWhole: reader.isWhole };
}

/**
 * Whole lines as text: a line feed is no part of any longer character, so none is cut. Bytes that are not UTF-8 become
 * replacement characters, so the line's hash no longer fits and the judge says so.
 */
function textOf(begun: readonly Buffer[], read: Buffer): string {
  return (begun.length === 0 ? read : Buffer.concat([...begun, read])).toString("utf8");
}
