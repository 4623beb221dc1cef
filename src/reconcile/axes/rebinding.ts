/**
 * What a client that comes back to the same name finds: the same object or an empty one, its old work gone on or cut
 * off, the result kept or made anew, and whether it may begin new work.
 */
import { z } from "zod";
import { Count } from "../../trace/ids.ts";
import type { CallMismatches } from "../calls.ts";
import type { CaseFile } from "../case-file.ts";
import { isAnswered } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { readState } from "../state-kept.ts";
import type { Axis } from "./axis.ts";
import type { ExecutionAnswer } from "./execution.ts";
import type { RepeatsAnswer } from "./repeats.ts";

const schema = z.strictObject({
  identity: z.enum(["same", "different", "unknown"]),
  generationBefore: Count.nullable(),
  generationAfter: Count.nullable(),
  oldWork: z.enum(["continued", "interrupted", "unknown"]),
  result: z.enum(["recovered", "reconstructed", "none", "unknown"]),
  newWork: z.enum(["admitted", "refused", "untested"]),
  evidence: Evidence,
});
type Rebinding = z.infer<typeof schema>;

/** What it rests on. */
type Judged = {
  readonly execution: ExecutionAnswer;
  readonly repeats: RepeatsAnswer;
  readonly callMismatches: CallMismatches;
};

export const rebinding = {
  name: "rebinding",
  schema,
  codes: {},
  undecided: () => ({
    identity: "unknown",
    generationBefore: null,
    generationAfter: null,
    oldWork: "unknown",
    result: "unknown",
    newWork: "untested",
    evidence: [],
  }),
  judge: judgeRebinding,
  expected: {},
  columns: [],
  counted: {},
} as const satisfies Axis<Rebinding>;

function judgeRebinding(file: CaseFile, judged: Judged): Rebinding {
  const { lastLoss, firstLoss, newest } = file;
  const before = firstLoss === null ? (file.activations[0] ?? null) : firstLoss.owner;
  const probeSettled = file.of("probe.settled")[0];
  return {
    identity: identityOf(file),
    generationBefore: before?.generation ?? null,
    generationAfter: newest?.generation ?? null,
    oldWork: oldWorkOf(file, judged),
    result: resultOf(file),
    newWork: file.probe === null ? "untested" : file.probe.accepted === true ? "admitted" : "refused",
    evidence: seqsOf(
      before,
      lastLoss?.performed,
      newest,
      file.settled,
      file.resubmitted,
      file.probe,
      probeSettled,
    ),
  };
}

function identityOf(file: CaseFile): Rebinding["identity"] {
  const { newest } = file;
  if (newest === null) return "unknown";
  if (newest === file.activations[0]) return file.lastLoss === null ? "same" : "unknown";
  const state = readState(file, newest);
  if (state.value === "kept") return "same";
  if (state.value === "gone" || state.code === "object-of-another") return "different";
  return "unknown";
}

function oldWorkOf(file: CaseFile, { repeats, execution, callMismatches }: Judged): Rebinding["oldWork"] {
  const { lastLoss, firstLoss } = file;
  const first = file.of("operation.settled").find((record) => isAnswered(record));
  if (lastLoss === null || firstLoss === null) return first === undefined ? "unknown" : "continued";
  if (first !== undefined && first.seq < firstLoss.from) return "continued";
  if (repeats.some(({ cause }) => cause === "runtime-replay")) return "continued";
  if (execution.value === "not-resumed" || execution.value === "settled-by-policy") return "interrupted";
  const toldModel = file
    .of("model.requested")
    .some((record) => record.seq > firstLoss.from && record.restartNotice);
  const log = file.collect.log?.events ?? [];
  const inLog = log.some(
    ({ type }) =>
      type === "session.synthetic" ||
      type === "session.tool.failed" ||
      type === "session.execution.interrupted",
  );
  // A call that took effect and is recorded as failed, or not at all, was cut off.
  const cutOff = callMismatches.some(({ recorded, committed }) => committed && recorded !== "succeeded");
  return toldModel || inLog || cutOff ? "interrupted" : "unknown";
}

function resultOf(file: CaseFile): Rebinding["result"] {
  const { settled, firstLoss } = file;
  if (!isAnswered(settled))
    return file.spec.factors.reconnect === "never" && settled === null ? "unknown" : "none";
  const { claim } = settled.claim;
  if (settled.status !== "done" || claim === "unknown" || claim === "none") return "none";
  // A claimed success without an effect is no result.
  if (claim === "committed" && file.of("effect.committed").length === 0) return "none";
  const from = firstLoss?.from ?? Number.POSITIVE_INFINITY;
  // A repeat that got the original receipt recovered the old result; a new effect is a new one.
  const remade = file.attempts.some(({ received, committed }) => received.seq > from && committed !== null);
  return remade ? "reconstructed" : "recovered";
}
