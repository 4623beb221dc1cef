/**
 * Who completed the operation's work: the same activation, a replacement that kept its storage, one that did not, nobody.
 * Session ids decide nothing here, since an empty object can be given the same one. Where activation and marker do not
 * decide, the answer is `indistinguishable` and the missing observation is named in a finding.
 *
 * Who answered the client is another question (`response.ts`).
 */
import type { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import { OpaqueId } from "../../trace/ids.ts";
import type { JournalRecord } from "../../trace/records.ts";
import { type CaseFile, completionOf, executorIn } from "../case-file.ts";
import { answer, answerSchema, finding } from "../finding.ts";
import { STATE_CODES } from "../state-kept.ts";
import { relationOf, whyNobody, workerOf } from "../who.ts";
import {
  type Axis,
  type Counter,
  counted,
  expectedWord,
  SHARED_CODES,
  saidWord,
  wordColumn,
} from "./axis.ts";
import { words } from "./words.ts";

/** Values of both questions about who. For `none` the code says how: failed, timed-out, pending. */
export const Who = words({
  same: "The activation that began it.",
  "replacement-with-state": "A new activation that has the durable marker of the old one.",
  "replacement-without-state": "A new activation that has not.",
  none: "Nobody.",
  indistinguishable: "Somebody; the records do not show which activation.",
  unknown: "The evidence does not decide it.",
});
/** `activation` is the one that the answer is about; null where there is none. */
export const whoSchema = answerSchema(Who).extend({ activation: OpaqueId.nullable() });
export type ExecutorAnswer = z.infer<typeof whoSchema>;

export const WHO_CODES = {
  ...SHARED_CODES,
  ...STATE_CODES,
  failed: "The operation ended without an answer.",
  "timed-out": "Whoever waited for it waited in vain.",
  "ended-unanswered": "The operation was ended by rule, without an answer.",
  pending: "It had not ended when the trial did.",
  "one-activation": "One activation did it all.",
  "one-executor": "The executor that began it did it all.",
  "thread-shown": "Another executor, whose first request shows what the one before it had done.",
  "thread-not-shown":
    "Another executor, whose first request shows nothing of what the one before it had done.",
  "another-executor":
    "Another executor than the one that began it; no request shows what it had of the state.",
} as const;
type Code = keyof typeof WHO_CODES;

export const executor = {
  name: "executor",
  asks: "Who completed the operation?",
  schema: whoSchema,
  codes: WHO_CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], activation: null }),
  judge: judgeExecutor,
  remarks: ({ value, code, evidence }) =>
    value === "indistinguishable"
      ? [{ ...finding("executor", "observation-missing", { missing: code }), evidence }]
      : [],
  said: saidWord,
  expected: { executor: expectedWord(Who) },
  columns: [wordColumn("executor")],
  counted: {
    /** Who completed the operation's work. */
    executor: counted({
      schema: Tally,
      of: (count: Counter<ExecutorAnswer>) =>
        count.tally(({ value, code }) => (value === "none" ? `none: ${code}` : value)),
      asked: { question: "who completed it?", answers: (tally) => tally, usual: null },
    }),
    /** Trials in which an operation was ended by rule, without an answer: over, and not complete. */
    unanswered: counted({
      schema: Rate,
      of: (count: Counter<ExecutorAnswer>) =>
        count.rate(
          ({ code }) => code === "ended-unanswered",
          ({ value }) => value !== "unknown",
        ),
      rates: { unanswered: (unanswered) => unanswered },
    }),
    /** Trials in which somebody gave the operation's answer. */
    completions: counted({
      schema: Rate,
      of: (count: Counter<ExecutorAnswer>) =>
        count.rate(
          ({ value, code }) => value !== "none" && code !== "ended-unanswered",
          ({ value }) => value !== "unknown",
        ),
      rates: { completions: (completions) => completions },
      figures: [{ title: "completed", of: (completions) => completions }],
    }),
  },
} as const satisfies Axis<ExecutorAnswer>;

function judgeExecutor(file: CaseFile): ExecutorAnswer {
  const nobody = (value: "none" | "unknown" | "indistinguishable", code: Code, ...evidence: Evidence) => ({
    ...answer(value, code, ...evidence),
    activation: null,
  });
  const completion = completionOf(file);
  if (completion === null) {
    if (file.stopped) return nobody("unknown", "trial-stopped", file.ended);
    const [how, record] = whyNobody(file);
    return nobody("none", how, record, file.ended);
  }
  const worker = workerOf(file);
  // The harness said so by rule: no executor had a part in it.
  if (file.executorLoss !== null && completion.type === "operation.settled" && completion.status !== "done")
    return nobody("none", "ended-unanswered", file.executorLoss.gone, completion);
  const [stranger] = file.unrecorded;
  if (stranger !== undefined)
    return nobody("indistinguishable", "subject.activated", { seq: stranger.seq }, completion);
  const did = worker === null ? undefined : executorIn(worker.by);
  if (worker !== null && did !== undefined) {
    const [first] = file.of("executor.started");
    const [value, code, shown] = relationOfExecutors(file, first?.executor, did);
    return {
      ...answer(value, code, first, worker.by, shown, completion),
      activation: worker.activation?.activation ?? null,
    };
  }
  if (worker === null || worker.activation === null)
    return nobody("indistinguishable", "subject.activated", worker?.by, completion);
  const [value, how, records] = relationOf(file, worker.activation);
  const unanswered = completion.type === "operation.settled" && completion.status !== "done";
  const code = unanswered && value !== "indistinguishable" ? "ended-unanswered" : how;
  return {
    ...answer(value, code, worker.activation, worker.by, records, completion),
    activation: worker.activation.activation,
  };
}

/** What the executor that did the work is to the first one, by what its first request shows. */
function relationOfExecutors(
  file: CaseFile,
  first: string | undefined,
  did: string,
): readonly [ExecutorAnswer["value"], Code, JournalRecord | null] {
  if (first === did) return ["same", "one-executor", null];
  const asked = file.of("model.requested").find(({ executor }) => executor === did);
  const before = file.attempts.find(({ received }) => received.executor === first)?.received;
  if (asked === undefined || before === undefined) return ["indistinguishable", "another-executor", null];
  return asked.results.some(({ call }) => call === before.call)
    ? ["replacement-with-state", "thread-shown", asked]
    : ["replacement-without-state", "thread-not-shown", asked];
}

type Evidence = Parameters<typeof answer> extends [unknown, unknown, ...infer Rest] ? Rest : never;
