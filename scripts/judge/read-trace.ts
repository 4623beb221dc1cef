/**
 * Reads a stored trace line by line. Lines end with a line feed and nothing else, and are hashed as they stand, so
 * the lines are cut from the bytes here rather than by a reader that knows other line ends.
 *
 * A trace that is too large to hold is a damaged trace, not a crash: it is read up to the limit and says so.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type ParsedTrace, type TraceProblem, TraceReader } from "../../src/trace/file.ts";

/** Far above any trial of the kit: a trace of 5,000 log events is about 2 MB. */
export const TRACE_BYTES_MAX = 128 * 1024 * 1024;

const LINE_FEED = 0x0a;

export async function readTrace(path: string, bytesMax = TRACE_BYTES_MAX): Promise<ParsedTrace> {
  const reader = new TraceReader((text) => createHash("sha256").update(text, "utf8").digest("hex"));
  let pending: Buffer[] = [];
  let bytes = 0;
  let problem: TraceProblem | null = null;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      problem = { code: "too-large", line: 0, detail: `the file is larger than ${bytesMax} bytes` };
      break;
    }
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      reader.push(textOf([...pending, chunk.subarray(from, end)]));
      pending = [];
      from = end + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  // Anything after the last line feed is a broken last line, and is read as such.
  if (problem === null && pending.length > 0) reader.push(textOf(pending));
  const parsed = reader.end();
  return problem === null ? parsed : { ...parsed, problems: [...parsed.problems, problem] };
}

/** Bytes that are not UTF-8 become replacement characters, so the line's hash no longer fits and the judge says so. */
function textOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString("utf8");
}
