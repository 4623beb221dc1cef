/**
 * Whether an executor that was lost was replaced, after how long, and whether it could act beside the next one. An executor
 * that only stood still is where the two differ: whoever cannot end it starts the next one all the same.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  "one-at-a-time": "Another executor took its place, and it did not live beside that one.",
  "two-alive": "Another executor took its place, and both lived; it did nothing more.",
  "two-acted": "Another executor took its place, and it acted beside that one.",
  "not-replaced": "No other executor was started.",
  "not-applicable": "No executor was lost.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({
  /** From its loss until the next one was started, in ms; null where none was. */
  afterMs: z.number().nullable(),
});
type ReplacementAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-executor-loss": "No reset of the trial takes an executor.",
  "none-started": "No executor was started after the loss.",
  "ended-first": "It had ended before the next one was started.",
  "went-on-idle": "It went on beside the next one, and no act of it is recorded after that.",
  "went-on-acting": "It went on beside the next one, and asked or acted.",
  "end-not-recorded": "It stood still, and neither its end nor its going on is recorded.",
} as const;

export const replacement = {
  name: "replacement",
  asks: "Was a lost executor replaced, and could two act at once?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], afterMs: null }),
  judge: judgeReplacement,
  said: ({ value, code, evidence, afterMs }) => [
    { words: afterMs === null ? value : `${value}, after ${seconds(afterMs)}`, code, evidence },
  ],
  expected: { replacement: expectedWord(Value) },
  columns: [],
  note: (answers) => {
    const told = answers.filter(({ value }) => value !== "not-applicable");
    if (told.length === 0) return [];
    const times = told.flatMap(({ afterMs }) => (afterMs === null ? [] : [seconds(afterMs)]));
    const after = times.length === 0 ? "" : ` after ${[...new Set(times)].join(", ")}`;
    return [`executor replaced${after}: ${agreedInLine(told.map(({ value }) => value))}`];
  },
  counted: {
    /** What became of a lost executor beside the next one. */
    replacement: counted({
      schema: Tally,
      of: (count: Counter<ReplacementAnswer>) => count.tally(({ value }) => value),
      asked: { question: "executor replaced?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<ReplacementAnswer>;

function judgeReplacement(file: CaseFile): ReplacementAnswer {
  const loss = file.executorLoss;
  if (loss === null) return { ...answer("not-applicable", "no-executor-loss", file.ended), afterMs: null };
  const { performed, gone, next, resumed, actsAgain } = loss;
  if (gone === null) return { ...answer("unknown", "reset-not-delivered", performed), afterMs: null };
  if (next === null)
    return file.stopped
      ? { ...answer("unknown", "trial-stopped", gone, file.ended), afterMs: null }
      : { ...answer("not-replaced", "none-started", gone, file.ended), afterMs: null };
  const afterMs = next.at - gone.at;
  if (resumed !== null)
    return actsAgain.length > 0
      ? { ...answer("two-acted", "went-on-acting", gone, next, resumed, actsAgain), afterMs }
      : { ...answer("two-alive", "went-on-idle", gone, next, resumed, file.ended), afterMs };
  const ended =
    gone.type === "executor.ended"
      ? gone
      : file.of("executor.ended").find(({ executor, seq }) => executor === gone.executor && seq < next.seq);
  return ended === undefined
    ? { ...answer("unknown", "end-not-recorded", gone, next), afterMs }
    : { ...answer("one-at-a-time", "ended-first", gone, ended, next), afterMs };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
