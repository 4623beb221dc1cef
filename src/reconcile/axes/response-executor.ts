/**
 * Which executor answered the client's next request for work: the probe, which no stored result can answer. The object that
 * took the request is another question (`response.ts`).
 */
import type { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import { type Axis, type Counter, counted, expectedWord, SHARED_CODES, saidWord } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  same: "The executor of before.",
  "replacement-with-state": "Another executor, which shows the session's earlier messages.",
  "replacement-without-state": "Another executor, which shows none of them.",
  none: "None.",
  indistinguishable: "One of them; the records do not show which.",
  "not-applicable": "No executor works apart from the object, or nothing was asked for.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value);
type ResponseAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-executor": "The object does the work itself.",
  "nothing-asked": "No new work was asked for.",
  failed: "New work ended without an answer.",
  "timed-out": "Whoever waited for new work waited in vain.",
  pending: "It had not ended when the trial did.",
  "one-executor": "The executor of before the loss asked the model.",
  "history-shown": "Another executor asked the model, and showed what had been before.",
  "history-not-shown": "Another executor asked the model, and showed nothing of what had been before.",
  "executor-of-before": "New work was begun in the executor of before the loss.",
  "another-executor": "New work was begun in another executor, which has nothing of the one before.",
  "work.begun": "The subject does not say in which executor the new work was begun.",
  "executor.started": "The request to the model does not say which executor it came from.",
} as const;

export const responseExecutor = {
  name: "responseExecutor",
  asks: "Which executor answered the client's next request for work?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: judgeResponse,
  said: saidWord,
  expected: { responseExecutor: expectedWord(Value) },
  columns: [],
  counted: {
    /** Which executor answered the client's next request for work. */
    responseExecutor: counted({
      schema: Tally,
      of: (count: Counter<{ readonly value: string; readonly code: string }>) =>
        count.tally(({ value, code }) => (value === "none" ? `none: ${code}` : value)),
      asked: { question: "which executor answered?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<ResponseAnswer>;

function judgeResponse(file: CaseFile): ResponseAnswer {
  if (file.spec.container === undefined) return answer("not-applicable", "no-executor", file.ended);
  const work = file.of("work.begun").find(({ moment }) => moment === "after");
  if (work !== undefined) return judgeWork(file, work);
  const { probe } = file;
  if (probe === null) return answer("not-applicable", "nothing-asked", file.ended);
  const settled = file.of("probe.settled")[0];
  if (settled === undefined) {
    const expired = file.of("wait.expired").findLast(({ waitedFor }) => waitedFor.startsWith("probe "));
    return expired === undefined
      ? answer("none", "pending", probe, file.ended)
      : answer("none", "timed-out", probe, expired);
  }
  if (settled.status !== "done") return answer("none", "failed", probe, settled);
  const asked = askedForProbe(file);
  if (asked?.executor === undefined) return answer("indistinguishable", "executor.started", probe, settled);
  const before = executorBefore(file);
  if (before?.executor === asked.executor) return answer("same", "one-executor", before, asked, settled);
  return showsHistory(file, asked)
    ? answer("replacement-with-state", "history-shown", before, asked, settled)
    : answer("replacement-without-state", "history-not-shown", before, asked, settled);
}

/** Where the object asks the model itself, its executor answers for work alone, and keeps no messages. */
function judgeWork(file: CaseFile, work: JournalRecord<"work.begun">): ResponseAnswer {
  if (work.reference === null) return answer("none", "failed", work);
  if (work.executor === null) return answer("indistinguishable", "work.begun", work);
  const before = executorBefore(file);
  return before?.executor === work.executor
    ? answer("same", "executor-of-before", before, work)
    : answer("replacement-without-state", "another-executor", before, work);
}

/** The first request that the probe brought about; undefined when it brought about none. */
export function askedForProbe(file: CaseFile): JournalRecord<"model.requested"> | undefined {
  return file
    .of("model.requested")
    .find(({ seq, purpose }) => purpose === "turn" && seq > file.probeFrom && seq < file.probeUntil);
}

/** Whether a request shows more of the session than the session's first request did. */
export function showsHistory(file: CaseFile, asked: JournalRecord<"model.requested">): boolean {
  const [first] = file.of("model.requested").filter(({ purpose }) => purpose === "turn");
  return first !== undefined && first !== asked && asked.messages > first.messages;
}

/** The executor that was there when the loss came; the first one, where there was no loss. */
function executorBefore(file: CaseFile): JournalRecord<"executor.started"> | undefined {
  const from = file.workLoss?.from ?? Number.POSITIVE_INFINITY;
  const started = file.of("executor.started");
  return started.findLast(({ seq }) => seq < from) ?? started[0];
}
