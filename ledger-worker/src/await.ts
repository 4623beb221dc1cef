/** The long-poll: the first record of given types after a seq, at once or as soon as it is appended. */

import { Refusal } from "../../src/link/admission.ts";
import { RECORD_TYPES, type RecordType } from "../../src/trace/index.ts";
import type { AwaitQuery, AwaitResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Ledger } from "./ledger.ts";
import { readTrial } from "./trial.ts";

/** Answers null when the bound ran out, and at once when the journal is closed, since nothing can follow. */
export async function awaitRecord(
  ledger: Ledger,
  query: AwaitQuery,
  signal: AbortSignal,
): Promise<AwaitResponse> {
  const types = query.types.map(recordType);
  const deadline = Date.now() + query.timeoutMs;
  for (;;) {
    const closed = readTrial(ledger).ended !== null;
    const record = ledger.journal.firstAfter(types, query.after) ?? null;
    const leftMs = deadline - Date.now();
    if (record !== null || closed || leftMs <= 0 || signal.aborted)
      return { record, records: ledger.journal.head().seq };
    await ledger.wakeups.sleep(leftMs, signal);
  }
}

function recordType(text: string): RecordType {
  const type = RECORD_TYPES.find((known) => known === text);
  if (type === undefined)
    throw new Refusal(
      "query-invalid",
      `query.types: expected types of records, found "${text.slice(0, 100)}".`,
    );
  return type;
}
