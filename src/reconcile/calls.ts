/**
 * What the session itself says of each tool call, held against the ledger: calls recorded as failed although their
 * effect committed, calls recorded as succeeded without one, calls that it does not know any more, calls without an end.
 */
import { z } from "zod";
import type { CaseFile } from "./case-file.ts";
import { Evidence, seqsOf } from "./finding.ts";
import { recordedCalls } from "./recorded-calls.ts";
import { readState } from "./state-kept.ts";

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

type JudgedCalls = {
  readonly callMismatches: CallMismatches;
  readonly openCalls: z.infer<typeof OpenCalls>;
};

export function judgeCalls(file: CaseFile): JudgedCalls {
  const { ends, source, whole } = recordedCalls(file);
  const callMismatches: Mismatch[] = [];
  const openCalls: string[] = [];
  // An empty object that answers under the old name never had the calls of before.
  const { newest } = file;
  const replaced =
    newest !== null && newest !== file.activations[0] && readState(file, newest).value === "gone";
  const forgotten =
    whole && !replaced
      ? file.attempts.flatMap(({ call }) => (call === null || ends.has(call) ? [] : [call]))
      : [];
  const byCall = Map.groupBy(file.attempts, ({ call }) => call);
  let acting: ReadonlySet<string> | null = null;
  for (const call of new Set([...ends.keys(), ...forgotten])) {
    const recorded = ends.get(call);
    if (recorded === null) {
      openCalls.push(call);
      continue;
    }
    const attempts = byCall.get(call) ?? [];
    // A repeat that got the original receipt has its effect too.
    const effects = attempts.flatMap(({ committed, deduplicated }) => committed ?? deduplicated ?? []);
    const committed = effects.length > 0;
    if (attempts.length === 0) acting ??= actingCalls(file);
    const acted = attempts.length > 0 || acting?.has(call) === true;
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

/** The calls that the model asked to act on something, without those that just looked. */
function actingCalls(file: CaseFile): ReadonlySet<string> {
  const acting = new Set(
    file
      .of("model.answered")
      .flatMap(({ toolCalls }) => toolCalls.flatMap(({ call, action }) => (action === null ? [] : [call]))),
  );
  for (const { call } of file.of("entry.read")) if (call !== null) acting.delete(call);
  return acting;
}
