/**
 * Whether two clients that ask for a lost executor at the same time get one: each would start its own, if nobody saw to it
 * that they share the start.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  "one-start": "One executor was started for both.",
  "several-starts": "More than one was started.",
  "no-start": "None was started: the one of before served both.",
  "not-applicable": "Only one client asked.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({
  /** How many of the two were answered. */
  answered: z.number().int().min(0).max(2),
});
type SingleFlightAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "one-caller": "No second client handed work in.",
  "not-both-taken": "The work of one of them was not taken, so that they did not ask together.",
  "not-both-ended": "The work of one of them had not ended when the trial did.",
  counted: "The starts between the loss and the end of both.",
} as const;

export const singleFlight = {
  name: "singleFlight",
  asks: "Do two clients that ask at once get one executor?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], answered: 0 }),
  judge: judgeSingleFlight,
  said: ({ value, code, evidence, answered }) => [
    {
      words: value === "not-applicable" ? value : `${value}, ${answered} of 2 answered`,
      code,
      evidence,
    },
  ],
  expected: {
    singleFlight: expectedWord(Value),
    callersAnswered: {
      schema: z.number().int().min(0).max(2),
      words: ({ answered }) => [String(answered)],
    },
  },
  columns: [],
  note: (answers) => {
    const told = answers.filter(({ value }) => value !== "not-applicable");
    const words = told.map(({ value, answered }) => `${value}, ${answered} of 2 answered`);
    return told.length === 0 ? [] : [`two callers: ${agreedInLine(words)}`];
  },
  counted: {
    /** How many executors two clients that asked at once got. */
    singleFlight: counted({
      schema: Tally,
      of: (count: Counter<SingleFlightAnswer>) => count.tally(({ value }) => value),
      asked: { question: "starts for two?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<SingleFlightAnswer>;

function judgeSingleFlight(file: CaseFile): SingleFlightAnswer {
  const [work, another] = file.of("work.begun").filter(({ moment }) => moment === "after");
  if (work !== undefined && another !== undefined) return judgeWork(file, [work, another]);
  const rival = file.of("rival.submitted")[0];
  const { probe } = file;
  if (rival === undefined || probe === null)
    return { ...answer("not-applicable", "one-caller", file.ended), answered: 0 };
  const ends = [file.of("probe.settled")[0], file.of("rival.settled")[0]] as const;
  const answered = ends.filter((end) => end?.status === "done").length;
  const say = (
    value: SingleFlightAnswer["value"],
    code: keyof typeof CODES,
    ...by: ({ seq: number } | undefined)[]
  ) => ({
    ...answer(value, code, probe, rival, ...by),
    answered,
  });
  if (probe.accepted !== true || rival.accepted !== true) return say("unknown", "not-both-taken");
  const [first, second] = ends;
  if (first === undefined || second === undefined) return say("unknown", "not-both-ended", ...ends);
  const starts = startsUntil(file, probe.seq, Math.max(first.seq, second.seq));
  return say(startsWord(starts), "counted", ...starts, first, second);
}

/** Two clients that ask the executor themselves: each is answered with an id for its work. */
function judgeWork(file: CaseFile, both: readonly [Begun, Begun]): SingleFlightAnswer {
  const answered = both.filter(({ reference }) => reference !== null).length;
  if (answered < both.length) return { ...answer("unknown", "not-both-taken", both), answered };
  const starts = startsUntil(file, both[0].seq, both[1].seq);
  return { ...answer(startsWord(starts), "counted", both, starts), answered };
}

type Begun = JournalRecord<"work.begun">;
type Started = JournalRecord<"executor.started">;

/** From the loss on; where nothing was lost, from when the first of both asked. */
function startsUntil(file: CaseFile, asked: number, until: number): Started[] {
  const from = file.workLoss?.from ?? asked;
  return file.of("executor.started").filter(({ seq }) => seq > from && seq < until);
}

function startsWord(starts: readonly Started[]): SingleFlightAnswer["value"] {
  return starts.length === 0 ? "no-start" : starts.length === 1 ? "one-start" : "several-starts";
}
