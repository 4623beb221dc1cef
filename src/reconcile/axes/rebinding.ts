/**
 * What a client that comes back to the same name finds: the same object or an empty one, its old work gone on or cut
 * off, the result kept or made anew, and whether it may begin new work.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import { Count } from "../../trace/ids.ts";
import type { JournalRecord } from "../../trace/records.ts";
import { takesTurn } from "../../trace/resets.ts";
import type { CallMismatches } from "../calls.ts";
import type { CaseFile, ExecutorLoss } from "../case-file.ts";
import { isAnswered } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { readState } from "../state-kept.ts";
import { askedAfterLoss } from "../who.ts";
import { type Axis, agreedInLine, type Counter, counted } from "./axis.ts";
import type { ExecutionAnswer } from "./execution.ts";
import type { RepeatsAnswer } from "./repeats.ts";
import { words } from "./words.ts";

/** The session of a request that failed. */
const UNKNOWN = "unknown";

const OldWork = words({
  continued: "It went on where it was.",
  restarted: "The call was made again, or the turn begun anew, without the model being shown what had been.",
  failed: "It failed.",
  interrupted: "It was broken off.",
  unknown: "The evidence does not decide it.",
});
const NewWork = words({
  admitted: "It was answered.",
  refused: "It was not taken.",
  failed: "It was taken and not answered.",
  untested: "The trial did not ask for any.",
});

const schema = z.strictObject({
  identity: words({
    same: "The session under the same name is the same one.",
    different: "It is another one.",
    unknown: "The evidence does not decide it.",
  }),
  generationBefore: Count.nullable(),
  generationAfter: Count.nullable(),
  oldWork: OldWork,
  result: words({
    recovered: "There is a definite result, and no effect was made after the loss.",
    reconstructed: "There is a definite result, and an effect was made after the loss.",
    claimed: "The final answer says so, and neither a receipt nor a look-up had told it.",
    none: "There is no result.",
    unknown: "The evidence does not decide it.",
  }),
  /** Admitted only when it was answered. */
  newWork: NewWork,
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
  asks: "What does a client that comes back find?",
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
  said: (one) => [{ words: rebindingLine(one), code: null, evidence: one.evidence }],
  expected: {
    newWork: { schema: NewWork, words: ({ newWork }) => [newWork] },
  },
  columns: [],
  note: (answers) => agreedInLine(answers.map(rebindingLine)),
  counted: {
    /** What a client that comes back finds: identity, generations, old work, result and new work in one line. */
    rebinding: counted({
      schema: Tally,
      of: (count: Counter<Rebinding>) => count.tally(rebindingLine),
      // How often a runtime evicts an idle object is no answer to what a client finds.
      asked: { question: "rebinding", answers: withoutGenerations, usual: null },
      listed: true,
    }),
  },
} as const satisfies Axis<Rebinding>;

/** E.g. `rebound g1→g2 · old work interrupted · result none · new work admitted`. */
function rebindingLine(one: Rebinding): string {
  const [rebound, oldWork, result, newWork] = wordsOf(one);
  return `${rebound} · old work ${oldWork} · result ${result} · new work ${newWork}`;
}

function withoutGenerations(tally: Tally): Tally {
  const merged = new Map<string, number>();
  for (const [line, count] of Object.entries(tally)) {
    const words = line.replace(/ \S+→\S+/, "");
    merged.set(words, (merged.get(words) ?? 0) + count);
  }
  return Object.fromEntries(merged);
}

function wordsOf({ identity, generationBefore, generationAfter, oldWork, result, newWork }: Rebinding) {
  const names = { same: "rebound", different: "replaced", unknown: "not known" } as const;
  const [before, after] = [generationBefore, generationAfter].map((one) => (one === null ? "?" : `g${one}`));
  return [`${names[identity]} ${before}→${after}`, oldWork, result, newWork] as const;
}

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
    newWork: newWorkOf(file),
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
  if (movedSession(file) !== null) return "different";
  if (newest === file.activations[0]) return file.lastLoss === null ? "same" : "unknown";
  const state = readState(file, newest);
  if (state.value === "kept") return "same";
  if (state.value === "gone" || state.code === "object-of-another") return "different";
  return "unknown";
}

function newWorkOf({ probe, of }: CaseFile): Rebinding["newWork"] {
  if (probe === null) return "untested";
  if (probe.accepted !== true) return "refused";
  return of("probe.settled").some(({ status }) => status === "done") ? "admitted" : "failed";
}

function oldWorkOf(file: CaseFile, { repeats, execution, callMismatches }: Judged): Rebinding["oldWork"] {
  const { lastLoss, firstLoss } = file;
  const first = file.of("operation.settled").find((record) => isAnswered(record));
  const log = file.collect.log?.events ?? [];
  if (file.resets.some(({ performed }) => takesTurn(performed.reset))) return "interrupted";
  if (file.executorLoss !== null) return oldWorkAfter(file, file.executorLoss);
  if (lastLoss === null || firstLoss === null) return first === undefined ? "unknown" : "continued";
  if (first !== undefined && first.seq < firstLoss.from) return "continued";
  // The call was made again, or the turn begun again, without the model being shown what had been.
  if (repeats.some(({ cause }) => cause === "runtime-replay")) return "restarted";
  if (execution.value === "settled-by-policy" && log.some(({ type }) => type === "session.execution.failed"))
    return "failed";
  if (execution.value === "not-resumed" || execution.value === "settled-by-policy") return "interrupted";
  const told = askedAfterLoss(file);
  if (callMismatches.some(({ recorded, committed }) => recorded === "absent" && committed))
    return "restarted";
  const inLog = log.some(
    ({ type }) =>
      type === "session.synthetic" ||
      type === "session.tool.failed" ||
      type === "session.execution.interrupted",
  );
  // A call that took effect and is recorded as failed was cut off.
  const cutOff = callMismatches.some(({ recorded, committed }) => committed && recorded === "failed");
  if (told?.restartNotice === true || inLog || cutOff) return "interrupted";
  // The first request after the loss shows what had been done: the turn went on from there.
  return told !== null && told.results.length > 0 ? "continued" : "unknown";
}

/** What became of the work whose executor was lost. */
function oldWorkAfter(file: CaseFile, loss: ExecutorLoss): Rebinding["oldWork"] {
  const first = file.of("operation.settled").find((record) => isAnswered(record));
  if (first !== undefined && first.seq < loss.from) return "continued";
  if (first !== undefined && first.status !== "done") return "failed";
  const again = [...file.turns.values()].find(({ seq }) => seq > loss.from);
  if (again === undefined) return first === undefined ? "unknown" : "interrupted";
  return again.results.length === 0 ? "restarted" : "interrupted";
}

function resultOf(file: CaseFile): Rebinding["result"] {
  const { settled, workLoss } = file;
  if (!isAnswered(settled))
    return file.spec.factors.reconnect === "never" && settled === null ? "unknown" : "none";
  const { claim, receipt } = settled.claim;
  if (settled.status !== "done" || claim === "unknown" || claim === "none") return "none";
  const commits = file.of("effect.committed");
  // A claimed success without an effect is no result.
  if (claim === "committed" && commits.length === 0) return "none";
  const from = workLoss?.from ?? Number.POSITIVE_INFINITY;
  // A repeat that got the original receipt recovered the old result; a new effect is a new one.
  const remade = file.attempts.some(({ received, committed }) => received.seq > from && committed !== null);
  if (remade) return "reconstructed";
  if (claim === "committed" && !isKnown(file, receipt, settled.seq)) return "claimed";
  return "recovered";
}

/** Whether anything had told the session of the effect: a receipt that was sent, or a look-up that found it. */
function isKnown(file: CaseFile, receipt: string | null, until: number): boolean {
  if (receipt !== null && file.of("effect.committed").some((commit) => commit.receipt === receipt))
    return true;
  return (
    file.of("receipt.sent").some(({ seq }) => seq < until) ||
    file.of("entry.read").some(({ seq, found }) => found && seq < until)
  );
}

/**
 * The record that shows the operation's work in another session than the one whose log was read at the end; null when all
 * of it is in one. A request that failed names no session.
 */
export function movedSession(file: CaseFile): JournalRecord | null {
  const session =
    file.collect.log?.offered === true ? file.collect.log.session : file.collect.transcript?.session;
  if (session === undefined || session === UNKNOWN) return null;
  return (
    file.records.find(
      (record) =>
        (record.type === "operation.submitted" ||
          record.type === "operation.settled" ||
          record.type === "probe.submitted" ||
          record.type === "attempt.received" ||
          (record.type === "model.requested" && record.purpose === "turn")) &&
        record.session !== null &&
        record.session !== UNKNOWN &&
        record.session !== session,
    ) ?? null
  );
}
