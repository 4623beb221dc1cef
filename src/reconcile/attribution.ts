/**
 * Whom the first deviation is attributed to. The order is fixed: the kit's own books, then the runtime, the harness,
 * the host, the model. A party further down is named only when those above it are cleared by the records.
 */
import type { z } from "zod";
import { isOpen } from "./axes/axis.ts";
import { type Answers, AXES } from "./axes/index.ts";
import { words } from "./axes/words.ts";
import type { CallMismatches } from "./calls.ts";
import { type CaseFile, completionOf } from "./case-file.ts";
import { type Answer, answer, answerSchema, type Finding, seqsOf } from "./finding.ts";
import { alarmsOffered, doubtOfRuntime } from "./gates/runtime-alive.ts";
import { isSuccessOfCall } from "./recorded-calls.ts";
import { askedAfterLoss } from "./who.ts";

const Party = words({
  none: "Nothing needs a cause.",
  runtime: "The runtime, or what it was told to do.",
  harness: "The harness.",
  host: "The OpenCode host.",
  model: "The model.",
  kit: "The kit itself.",
  unknown: "The evidence does not decide it.",
});
type Party = z.infer<typeof Party>;

export const Attribution = answerSchema(Party);

/** Reasons of its own; where an axis or a gate decides, its code is taken over. */
export const ATTRIBUTION_CODES = {
  "two-owners": "An activation that had been replaced went on acting.",
  "attempt-open": "An attempt is still open, so what became of it is not known.",
  "stored-result-not-shown":
    "A call had succeeded in the session's own record, and the model was not shown its result.",
  "call-replayed": "The call was made again without asking the model.",
  "tool-retried": "The tool itself tried again.",
  "call-recorded-failed-though-committed": "A call was recorded as failed although its effect was committed.",
  "call-forgotten": "A call took effect, and the session's own record does not have it.",
  "call-recorded-succeeded-without-effect": "A call was recorded as succeeded without an effect.",
  "claim-without-effect": "Success was claimed and there is no effect.",
  "repeat-asked-for": "The action was asked for again.",
  "no-definite-claim": "The final answer does not say what happened.",
  "outcome-open": "The outcome is open and no party can be named.",
  "no-deviation": "Nothing deviates.",
} as const;
type OwnCode = keyof typeof ATTRIBUTION_CODES;

type Judged = Answers & {
  readonly validity: { readonly reasons: readonly Finding[] };
  readonly callMismatches: CallMismatches;
};

const KIT = ["ledger-books-broken", "model-books-broken", "law-breached"];

export function attribute(file: CaseFile, judged: Judged): Answer<Party> {
  const { reasons } = judged.validity;
  const kit = reasons.find(({ code }) => KIT.includes(code));
  if (kit !== undefined) return { value: "kit", code: kit.code, evidence: kit.evidence };
  const silent = reasons.find(({ code }) => code === "canary-silent");
  if (silent !== undefined) return { value: "runtime", code: silent.code, evidence: silent.evidence };
  const [reason] = reasons;
  if (reason !== undefined) return { value: "unknown", code: reason.code, evidence: reason.evidence };
  return (
    runtimeOrHarness(file, judged) ??
    hostOrModel(file, judged) ??
    undecided(judged) ??
    answer("none", "no-deviation" satisfies OwnCode, file.ended)
  );
}

function runtimeOrHarness(file: CaseFile, judged: Judged): Answer<Party> | null {
  const { session, executor, stuck, autonomous, execution } = judged;
  if (session.code === "operation-forgotten")
    return { value: "harness", code: session.code, evidence: session.evidence };
  const gone = [session, executor].find(
    ({ value }) => value === "lost" || value === "replacement-without-state",
  );
  if (gone !== undefined) {
    return { value: "runtime", code: gone.code, evidence: gone.evidence };
  }
  const owners = deviating(judged)
    ? judged.repeats.find(({ cause }) => cause === "concurrent-owner")
    : undefined;
  if (owners !== undefined) return { value: "runtime", code: "two-owners", evidence: owners.evidence };
  const isStuck = stuck.value !== "no" && stuck.value !== "unknown";
  const asleep = isStuck ? stuck : autonomous.value === "no" ? autonomous : undefined;
  const doubt = asleep === undefined ? null : doubtOfRuntime(file);
  if (asleep !== undefined && !alarmsOffered(file)) {
    // What was done in the end, though only because a client asked, is not what nothing will ever do.
    const { code, evidence } =
      completionOf(file) !== null && execution.value === "not-resumed" ? execution : asleep;
    return { value: ownParty(file), code, evidence };
  }
  if (asleep !== undefined && doubt !== null)
    return {
      value: "unknown",
      code: doubt.code,
      evidence: seqsOf(refer(asleep.evidence), refer(doubt.evidence)),
    };
  if (asleep !== undefined) return { value: "harness", code: asleep.code, evidence: asleep.evidence };
  if (execution.code === "resumed-after-interrupt")
    return { value: ownParty(file), code: execution.code, evidence: execution.evidence };
  // What the provider refuses may be what the host sent, or the provider itself.
  if (execution.code === "provider-refused")
    return { value: "unknown", code: execution.code, evidence: execution.evidence };
  if (execution.value === "not-resumed")
    return { value: ownParty(file), code: execution.code, evidence: execution.evidence };
  return null;
}

function hostOrModel(file: CaseFile, judged: Judged): Answer<Party> | null {
  const { session, repeats, callMismatches, operations } = judged;
  if (session.value === "restored-damaged")
    return { value: ownParty(file), code: session.code, evidence: session.evidence };
  if (!deviating(judged)) return null;
  const by = (cause: string) => repeats.find((repeat) => repeat.cause === cause);
  const replay = by("runtime-replay");
  if (replay !== undefined)
    return { value: ownParty(file), code: "call-replayed", evidence: replay.evidence };
  const retry = by("tool-internal-retry");
  if (retry !== undefined) return { value: "kit", code: "tool-retried", evidence: retry.evidence };
  const unshown = storedResultNotShown(file);
  if (unshown !== null)
    return answer(ownParty(file), "stored-result-not-shown" satisfies OwnCode, ...unshown);
  const [mismatch] = callMismatches;
  if (mismatch !== undefined)
    return { value: ownParty(file), code: codeOf(mismatch), evidence: mismatch.evidence };
  const flagged = operations.find(({ flags }) => flags.some((flag) => flag !== "ok"));
  if (flagged === undefined || flagged.flags.includes("unknown")) return null;
  const open = file.attempts.find((attempt) => attempt.open && attempt.received.action === flagged.action);
  const decided = flagged.flags.some(
    (flag) => flag === "duplicate" || flag === "lost" || flag === "conflict",
  );
  if (open !== undefined && !decided)
    return answer("unknown", "attempt-open" satisfies OwnCode, open.received, file.settled, file.ended);
  if (file.settled === null) return null;
  // The last word was the model's when it answered without asking for another call; otherwise the subject's own.
  const from = file.lastLoss?.from ?? 0;
  const until = file.settled.seq;
  const word = file
    .of("model.answered")
    .findLast(
      ({ seq, finish, purpose }) => seq > from && seq < until && finish === "stop" && purpose === "turn",
    );
  const code: OwnCode = flagged.flags.includes("lost")
    ? "claim-without-effect"
    : flagged.flags.includes("duplicate")
      ? "repeat-asked-for"
      : "no-definite-claim";
  return {
    value: word === undefined ? ownParty(file) : "model",
    code,
    evidence: flagged.evidence,
  };
}

function codeOf({ recorded, committed }: CallMismatches[number]): OwnCode {
  if (recorded === "absent") return "call-forgotten";
  return committed ? "call-recorded-failed-though-committed" : "call-recorded-succeeded-without-effect";
}

/**
 * The look in which a call had succeeded, and the first request after the loss, which does not show the model its result;
 * null where there is no such call.
 */
function storedResultNotShown(file: CaseFile): readonly { readonly seq: number }[] | null {
  const { look } = file;
  if (look === null) return null;
  const request = askedAfterLoss(file);
  if (request === null) return null;
  const hidden = look.events.some(
    ({ type, call }) =>
      call !== undefined &&
      isSuccessOfCall(type) &&
      !request.results.some((result) => result.call === call && result.outcome === "ok"),
  );
  return hidden ? [look, request] : null;
}

function refer(seqs: readonly number[]): readonly { readonly seq: number }[] {
  return seqs.map((seq) => ({ seq }));
}

/** A deviation that no party can be named for, or an axis that is not decided. */
function undecided(judged: Judged): Answer<Party> | null {
  for (const { name } of AXES) {
    const answered = judged[name];
    // Axes that answer in several words are undecided by what they list.
    if (!("value" in answered) || !isOpen(answered.value)) continue;
    return { value: "unknown", code: answered.code, evidence: answered.evidence };
  }
  const flagged = judged.operations.find(({ flags }) => flags.some((flag) => flag !== "ok"));
  return flagged === undefined
    ? null
    : { value: "unknown", code: "outcome-open", evidence: flagged.evidence };
}

function deviating(judged: Judged): boolean {
  return judged.operations.some(({ flags }) => flags.some((flag) => flag !== "ok"));
}

/** Where there is no OpenCode host, its part is played by the harness under test. */
function ownParty(file: CaseFile): Party {
  return file.spec.factors.host === "none" ? "harness" : "host";
}
