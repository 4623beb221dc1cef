/** Writes one trial's journal to a trace file: header first, then the stored lines byte for byte. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Peer, send } from "../../src/link/call.ts";
import { TRACE_SCHEMA, type TraceHeader } from "../../src/trace/file.ts";
import { JOURNAL_PAGE_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { writeWhole } from "../base/whole-file.ts";
import { readTrace } from "../stored/read-trace.ts";

type ExportSource = {
  readonly controller: Peer;
  readonly spec: TrialSpec;
  readonly environment: Environment;
  /** Number of records and head of the chain, as the ledger reported them. */
  readonly records: number;
  readonly head: string;
};

/** Path of a trial's trace in a run's folder. */
export function tracePath(tracesDir: string, trial: string): string {
  return join(tracesDir, `${trial}.jsonl`);
}

/**
 * Exports the first `records` records. The file gets its name only once it lies whole on the disk, so that a trace cut off
 * by a full disk or a crash is never taken for a stored one. Returns the path.
 *
 * @throws MachineError when the machine refuses: the journal still has everything, and it may be tried again.
 */
export async function exportTrace(tracesDir: string, source: ExportSource): Promise<string> {
  const path = tracePath(tracesDir, source.spec.trial);
  const verify = (written: string) => verifyWhole(written, source);
  // Evidence is written once. What lies here may be this very trace, of an attempt that failed after its last step.
  if (existsSync(path)) verify(path);
  else await writeWhole(path, linesOf(source), verify);
  return path;
}

async function* linesOf({
  controller,
  spec,
  environment,
  records,
  head,
}: ExportSource): AsyncGenerator<string> {
  const { trial, run } = spec;
  const header: TraceHeader = { schema: TRACE_SCHEMA, trial, run, records, head, spec, environment };
  yield `${JSON.stringify(header)}\n`;
  for (let after = 0; after < records; ) {
    const limit = Math.min(JOURNAL_PAGE_MAX, records - after);
    const page = await send(controller, "GET", `/trials/${trial}/journal?after=${after}&limit=${limit}`);
    const text = await page.text();
    const lines = text.split("\n").length - 1;
    if (lines === 0) return;
    yield text;
    after += lines;
  }
}

/** @throws when the file is not the whole journal, as the ledger counted it. */
function verifyWhole(path: string, { spec, records, head }: ExportSource): void {
  const { header, isWhole } = readTrace(path);
  const own = header?.trial === spec.trial && header.records === records && header.head === head;
  if (!own || !isWhole)
    throw new Error(
      `the trace of ${spec.trial} is not whole as it lies on the disk: the ledger has ${records} records`,
    );
}
