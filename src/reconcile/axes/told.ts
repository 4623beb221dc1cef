/**
 * What the model was told about the call whose result was lost: the words with which the recovered session shows it to the
 * model. It is what decides what a real model does next.
 *
 * The call is the last one that had not been shown to the model when its host was lost; where the text was not recorded,
 * the session log's own error stands for it.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import { OpaqueId } from "../../trace/ids.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import { askedAfterLoss } from "../who.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  "outcome-unknown": "That the call may or may not have taken effect.",
  failed: "That the call failed.",
  aborted: "That the call was interrupted, without a word on its outcome.",
  nothing: "Nothing: the call is not shown.",
  result: "A result, as if the call had ended well.",
  "not-applicable": "No call was lost, or the model was not asked again.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({
  call: OpaqueId.nullable(),
  /** The words themselves, cut; null where none were recorded. */
  text: z.string().max(2_000).nullable(),
});
type ToldAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-call-lost": "No call was under way, or its result had been shown, when the host was lost.",
  "model-not-asked": "The model was not asked again.",
  "call-not-shown": "The first request after the loss does not show the call.",
  "shown-as-result": "The first request after the loss shows the call with a result.",
  "shown-as-error": "The first request after the loss shows the call with an error.",
} as const;
type Code = keyof typeof CODES;

export const told = {
  name: "told",
  asks: "What was the model told of the call whose result was lost?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], call: null, text: null }),
  judge: judgeTold,
  said: ({ value, text, code, evidence }) => [
    { words: text === null ? value : `${value}: “${text}”`, code, evidence },
  ],
  expected: { told: expectedWord(Value) },
  columns: [],
  note: (answers) => `model told ${agreedInLine(answers.map(({ value }) => value))}`,
  counted: {
    /** What the model was told about the call whose result was lost. */
    told: counted({
      schema: Tally,
      of: (count: Counter<ToldAnswer>) => count.tally(({ value }) => value),
      asked: { question: "model told?", answers: (tally) => tally, usual: null },
      listed: true,
    }),
  },
} as const satisfies Axis<ToldAnswer>;

function judgeTold(file: CaseFile): ToldAnswer {
  const loss = file.workLoss;
  const none = (code: Code, ...records: ({ seq: number } | null)[]): ToldAnswer => ({
    ...answer("not-applicable", code, ...records),
    call: null,
    text: null,
  });
  if (loss === null) return none("no-host-loss", file.ended);
  const found = lostCall(file, loss.from);
  if (found === null) return none("no-call-lost", loss.performed);
  const { received: lost, call } = found;
  if (file.spec.agent !== undefined)
    return { ...answer("unknown", "model-unrecorded", lost, loss.performed), call: null, text: null };
  const first = askedAfterLoss(file);
  if (first === null && file.stopped)
    return { ...answer("unknown", "trial-stopped", file.ended), call, text: null };
  if (first === null) return { ...none("model-not-asked", lost, file.ended), call };
  const shown = first.results.find((result) => result.call === call);
  if (shown === undefined) return { ...answer("nothing", "call-not-shown", lost, first), call, text: null };
  if (shown.outcome === "ok")
    return { ...answer("result", "shown-as-result", lost, first), call, text: shown.text ?? null };
  const logged = loggedError(file, call);
  const text = shown.text ?? logged?.error ?? null;
  return {
    ...answer(readingOf(text), "shown-as-error", lost, first, shown.text === undefined ? logged?.log : null),
    call,
    text: text?.slice(0, 2_000) ?? null,
  };
}

/** The last attempt before the loss whose call no request before it had shown to the model. */
function lostCall(
  file: CaseFile,
  from: number,
): { readonly received: JournalRecord<"attempt.received">; readonly call: string } | null {
  const shown = new Set(
    file
      .of("model.requested")
      .flatMap(({ seq, results }) => (seq < from ? results.map(({ call }) => call) : [])),
  );
  const last = file.attempts.findLast(({ received }) => received.seq < from);
  if (last === undefined || last.call === null || shown.has(last.call)) return null;
  return { received: last.received, call: last.call };
}

function loggedError(file: CaseFile, call: string) {
  const { log } = file.collect;
  const event = log?.events.find((one) => one.call === call && one.error !== undefined);
  return log === null || event?.error === undefined ? null : { log, error: event.error };
}

/** What an error text says of the outcome. A text that promises nothing else says that the call failed. */
function readingOf(text: string | null): "outcome-unknown" | "aborted" | "failed" {
  if (text === null) return "failed";
  if (/unknown|may (?:or may not )?have|might have|not known|uncertain|cannot be confirmed/i.test(text))
    return "outcome-unknown";
  return /abort|cancel|interrupt/i.test(text) ? "aborted" : "failed";
}
