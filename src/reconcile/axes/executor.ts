/**
 * Who completed the operation: the same activation, a replacement that kept its storage, one that did not, nobody.
 * Session ids decide nothing here, since an empty object can be given the same one. Where activation and marker do not
 * decide, the answer is `indistinguishable` and the missing observation is named in a finding.
 */
import { z } from "zod";
import { Rate } from "../../trace/counts.ts";
import type { CaseFile } from "../case-file.ts";
import { completionOf } from "../case-file.ts";
import { type Answer, answer, answerSchema, finding } from "../finding.ts";
import { readState, STATE_CODES, type StateReading } from "../state-kept.ts";
import { type Axis, type Counter, counted, expectedWord, SHARED_CODES, wordColumn } from "./axis.ts";

const Value = z.enum([
  "same",
  "replacement-with-state",
  "replacement-without-state",
  "none",
  "indistinguishable",
  "unknown",
]);
const schema = answerSchema(Value);
export type ExecutorAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  ...STATE_CODES,
  "not-completed": "Nobody completed the operation.",
  "one-activation": "One activation did it all.",
  "old-activation-at-work": "The activation of before the reset was still at work after it.",
  "operation.submitted again":
    "The operation was not submitted again, so it is not known whether it is known.",
} as const;

type Executor = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const executor = {
  name: "executor",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: answerFor,
  remarks: ({ value, code, evidence }) =>
    value === "indistinguishable"
      ? [{ ...finding("executor", "observation-missing", { missing: code }), evidence }]
      : [],
  expected: { executor: expectedWord(Value) },
  columns: [wordColumn("executor")],
  counted: {
    /** Trials in which somebody gave the operation's outcome. */
    completions: counted({
      schema: Rate,
      of: (count: Counter<ExecutorAnswer>) =>
        count.rate(
          ({ value }) => value !== "none",
          ({ value }) => value !== "unknown",
        ),
      rates: { completions: (completions) => completions },
      figures: [{ title: "completed", of: (completions) => completions }],
    }),
  },
} as const satisfies Axis<ExecutorAnswer>;

function answerFor(file: CaseFile): Executor {
  const completion = completionOf(file);
  if (completion === null && file.stopped) return answer("unknown", "trial-stopped", file.ended);
  if (completion === null) return answer("none", "not-completed", file.settled, file.ended);
  const { lastLoss, newest } = file;
  const [stranger] = file.unrecorded;
  if (stranger !== undefined)
    return answer("indistinguishable", "subject.activated", { seq: stranger.seq }, completion);
  if (lastLoss === null) return withoutLoss(file, completion);
  if (newest === null) return withoutSuccessor(file, completion);
  const state = readState(file, newest);
  if (state.value === "kept" && state.code !== "resubmission-not-tried")
    return answer("replacement-with-state", state.code, newest, state.records, completion);
  if (state.value === "gone")
    return answer("replacement-without-state", state.code, newest, state.records, completion);
  return answer("indistinguishable", missingIn(state), newest, state.records, completion);
}

/** No host loss: the same, unless the object was replaced on its own before it was done. */
function withoutLoss(file: CaseFile, completion: { seq: number }): Executor {
  const onTime = file.activations.filter(({ late }) => !late);
  const [first, ...others] = onTime;
  if (first === undefined) return answer("indistinguishable", "subject.activated", completion);
  // The outcome may be read long after the work: an object that was evicted while idle was not replaced at work.
  const worked = file
    .of("model.answered")
    .findLast(({ seq, purpose }) => purpose === "turn" && seq < completion.seq);
  const replacement = others.findLast(({ seq }) => seq < (worked ?? completion).seq);
  if (replacement === undefined) return answer("same", "one-activation", first, completion);
  const state = readState(file, replacement);
  if (state.value === "kept") return answer("replacement-with-state", state.code, replacement, completion);
  if (state.value === "gone") return answer("replacement-without-state", state.code, replacement, completion);
  return answer("indistinguishable", missingIn(state), replacement, completion);
}

/** A reset was performed and nobody new reported: the old one may be seen at work, or nobody can be named. */
function withoutSuccessor(file: CaseFile, completion: { seq: number }): Executor {
  const loss = file.lastLoss;
  const owner = loss?.owner?.activation;
  const seen = file.records.find(
    (record) =>
      record.seq > (loss?.performed.seq ?? 0) &&
      record.type !== "subject.activated" &&
      "activation" in record &&
      record.activation !== null &&
      record.activation === owner,
  );
  const receipt = file
    .of("receipt.sent")
    .find(({ seq, attempt }) => seq > (loss?.performed.seq ?? 0) && ownedBy(file, attempt, owner));
  const sign = seen ?? receipt;
  // What a process that is proven dead had sent before may still arrive: no sign that it lives.
  return sign === undefined || loss?.performed.process != null
    ? answer("indistinguishable", "subject.activated", loss?.performed, completion)
    : answer("same", "old-activation-at-work", sign, completion);
}

function ownedBy(file: CaseFile, attempt: number, owner: string | undefined): boolean {
  return file.attempts.some(({ received }) => received.attempt === attempt && received.activation === owner);
}

function missingIn(state: StateReading): keyof typeof CODES {
  return state.code === "resubmission-not-tried" ? "operation.submitted again" : state.code;
}
