/**
 * Who answered the client's next request, after the loss if there was one: the same activation, a replacement with or
 * without the old state, nobody. Whoever answers need not be whoever did the work (`executor.ts`): a runtime evicts an
 * idle object between the two.
 */
import { Tally } from "../../trace/counts.ts";
import type { CaseFile } from "../case-file.ts";
import { answer } from "../finding.ts";
import { relationOf, responderOf } from "../who.ts";
import { type Axis, type Counter, counted, expectedWord, saidWord } from "./axis.ts";
import { type ExecutorAnswer, WHO_CODES, Who, whoSchema } from "./executor.ts";

export const response = {
  name: "response",
  asks: "Who answered the client's next request?",
  schema: whoSchema,
  codes: WHO_CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], activation: null }),
  judge: judgeResponse,
  said: saidWord,
  expected: { response: expectedWord(Who) },
  columns: [],
  counted: {
    /** Who answered the client's next request. */
    response: counted({
      schema: Tally,
      of: (count: Counter<ExecutorAnswer>) => count.tally(({ value }) => value),
      asked: { question: "who answered?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<ExecutorAnswer>;

function judgeResponse(file: CaseFile): ExecutorAnswer {
  const responder = responderOf(file);
  if (responder === null) return nobodyAnswered(file);
  if (responder.activation === null)
    return { ...answer("indistinguishable", "subject.activated", responder.by), activation: null };
  const [value, code, records] = relationOf(file, responder.activation);
  return {
    ...answer(value, code, responder.activation, responder.by, records),
    activation: responder.activation.activation,
  };
}

function nobodyAnswered(file: CaseFile): ExecutorAnswer {
  if (file.stopped) return { ...answer("unknown", "trial-stopped", file.ended), activation: null };
  const from = file.lastLoss?.performed.seq ?? 0;
  const refused = file.records.find(
    (record) =>
      record.seq > from &&
      ((record.type === "client.reconnected" && !record.ok) ||
        (record.type === "operation.submitted" && record.error !== null)),
  );
  const expired = file.of("wait.expired").find(({ seq }) => seq > from);
  const how = expired !== undefined ? "timed-out" : refused !== undefined ? "failed" : "pending";
  return { ...answer("none", how, refused, expired, file.ended), activation: null };
}
