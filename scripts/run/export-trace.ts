/** Writes one trial's journal to a trace file: header first, then the stored lines byte for byte. */
import { existsSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Peer, send } from "../../src/link/call.ts";
import { TRACE_SCHEMA, type TraceHeader } from "../../src/trace/file.ts";
import { JOURNAL_PAGE_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";

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
 * Exports the first `records` records. The file appears under its name only when it is complete, so that a trace
 * cut off by a crash of the CLI is never taken for a stored one. Returns the path.
 */
export async function exportTrace(tracesDir: string, source: ExportSource): Promise<string> {
  const { controller, spec, environment, records, head } = source;
  const path = tracePath(tracesDir, spec.trial);
  const file = await open(`${path}.partial`, "w");
  try {
    const header: TraceHeader = {
      schema: TRACE_SCHEMA,
      trial: spec.trial,
      run: spec.run,
      records,
      head,
      spec,
      environment,
    };
    await file.write(`${JSON.stringify(header)}\n`);
    for (let after = 0; after < records; ) {
      const limit = Math.min(JOURNAL_PAGE_MAX, records - after);
      const page = await send(
        controller,
        "GET",
        `/trials/${spec.trial}/journal?after=${after}&limit=${limit}`,
      );
      const text = await page.text();
      const lines = text.split("\n").length - 1;
      if (lines === 0) break;
      await file.write(text);
      after += lines;
    }
  } finally {
    await file.close();
  }
  // Evidence is written once: only a bug of the kit would run a trial that has a trace.
  if (existsSync(path)) throw new Error(`there is already a trace of ${spec.trial}`);
  await rename(`${path}.partial`, path);
  return path;
}
