/**
 * What the session itself says of each tool call, held against the ledger: calls recorded as failed although their
 * effect committed, calls recorded as succeeded without one, calls that it does not know any more, calls without an end.
 */
import { z } from "zod";
import type { CaseFile } from "./case-file.ts";
import { Evidence, seqsOf } from "./finding.ts";
import { recordedCalls } from "./recorded-calls.ts";

/**
 * Calls recorded as failed although their effect committed, or the reverse. `absent`: the session's own record does
 * not have the call.
 */
export const CallMismatches = z.array(
  z.strictObject({
    call: z.string(),
    recorded: z.enum(["failed", "succeeded", "absent"]),
    committed: z.boolean(),
    evidence: Evidence,
  }),
);
export type CallMismatches = z.infer<typeof CallMismatches>;
type Mismatch = CallMismatches[number];

/** Calls without a terminal record at the end. */
export const OpenCalls = z.array(z.string());

export type JudgedCalls = {
  readonly callMismatches: CallMismatches;
  readonly openCalls: z.infer<typeof OpenCalls>;
};

export function judgeCalls(file: CaseFile): JudgedCalls {
  const { ends, source, whole } = recordedCalls(file);
  const callMismatches: Mismatch[] = [];
  const openCalls: string[] = [];
  const forgotten = whole
    ? file.attempts.map(({ received }) => received.call).filter((call) => !ends.has(call))
    : [];
  for (const call of new Set([...ends.keys(), ...forgotten])) {
    const recorded = ends.get(call);
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
      recorded: recorded ?? "absent",
      committed,
      evidence: seqsOf(
        source,
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
