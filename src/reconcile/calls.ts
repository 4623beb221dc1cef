/**
 * What the session's own log says of each tool call, held against the ledger: calls recorded as failed although their
 * effect committed, calls recorded as succeeded without one, calls without an end.
 */
import type { Verdict } from "../trace/verdict.ts";
import type { CaseFile } from "./case-file.ts";
import { seqsOf } from "./finding.ts";

const CLOSED = { "session.tool.success": "succeeded", "session.tool.failed": "failed" } as const;
const OPENED = ["session.tool.input.started", "session.tool.called"];

export function judgeCalls(file: CaseFile): Pick<Verdict, "callMismatches" | "openCalls"> {
  const { log } = file.collect;
  const ends = new Map<string, "succeeded" | "failed" | null>();
  for (const { call, type } of log?.events ?? []) {
    if (call === undefined) continue;
    if (type in CLOSED) ends.set(call, CLOSED[type as keyof typeof CLOSED]);
    else if (OPENED.includes(type) && !ends.has(call)) ends.set(call, null);
  }
  const callMismatches: Verdict["callMismatches"] = [];
  const openCalls: string[] = [];
  for (const [call, recorded] of ends) {
    if (recorded === null) {
      openCalls.push(call);
      continue;
    }
    const attempts = file.attempts.filter(({ received }) => received.call === call);
    // A repeat that got the original receipt has its effect too.
    const effects = attempts.flatMap(({ committed, deduplicated }) => committed ?? deduplicated ?? []);
    const committed = effects.length > 0;
    const acted = attempts.length > 0 || wasAskedToAct(file, call);
    if (!acted || committed === (recorded === "succeeded")) continue;
    callMismatches.push({
      call,
      recorded,
      committed,
      evidence: seqsOf(
        log,
        attempts.map(({ received }) => received),
        effects,
      ),
    });
  }
  return { callMismatches, openCalls };
}

/** Whether the model asked this call to act on something, and the call did not just look. */
function wasAskedToAct(file: CaseFile, call: string): boolean {
  const looked = file.of("entry.read").some((record) => record.call === call);
  const acting = file
    .of("model.answered")
    .some(({ toolCalls }) => toolCalls.some((asked) => asked.call === call && asked.action !== null));
  return acting && !looked;
}
