/**
 * What a session is worth that begins anew: whether a reset repairs one that took no work any more, at what price, and whether
 * another session of the same object begins with nothing of the first. Files of the workspace are shared by declaration.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted } from "./axis.ts";
import { showsHistory } from "./response-executor.ts";
import { words } from "./words.ts";

const Remedy = words({
  "without-history":
    "The reset session took work again, and the model was shown nothing of what had been before.",
  "with-history": "The reset session took work again, and the model was shown what had been before.",
  failed: "The reset session took no work either.",
  untested: "No session was reset: there was nothing to repair.",
  unknown: "The evidence does not decide it.",
});
const CleanStart = words({
  clean: "The other session's first request shows nothing of the first session.",
  leaked: "It shows something of it.",
  failed: "The other session took no work.",
  untested: "No other session was begun.",
  unknown: "The evidence does not decide it.",
});
const schema = z.strictObject({ remedy: Remedy, cleanStart: CleanStart, evidence: Evidence });
type FreshStart = z.infer<typeof schema>;

export const freshStart = {
  name: "freshStart",
  asks: "What is a session worth that begins anew?",
  schema,
  codes: {},
  undecided: () => ({ remedy: "unknown", cleanStart: "unknown", evidence: [] }),
  judge: judgeFreshStart,
  said: (one) => [{ words: freshStartLine(one), code: null, evidence: one.evidence }],
  expected: {
    remedy: { schema: Remedy, words: ({ remedy }) => [remedy] },
    cleanStart: { schema: CleanStart, words: ({ cleanStart }) => [cleanStart] },
  },
  columns: [],
  note: (answers) => {
    const told = answers.filter(
      ({ remedy, cleanStart }) => remedy !== "untested" || cleanStart !== "untested",
    );
    return told.length === 0 ? [] : [agreedInLine(told.map(freshStartLine))];
  },
  counted: {
    /** Whether a reset repairs a session, and whether another one begins clean, in one line. */
    freshStart: counted({
      schema: Tally,
      of: (count: Counter<FreshStart>) => count.tally(freshStartLine),
      asked: { question: "begun anew?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<FreshStart>;

/** E.g. `reset repairs without-history · new session clean`. */
function freshStartLine({ remedy, cleanStart }: FreshStart): string {
  const reset = remedy === "untested" ? [] : [`reset repairs ${remedy}`];
  return [...reset, `new session ${cleanStart}`].join(" · ");
}

function judgeFreshStart(file: CaseFile): FreshStart {
  const reset = readBegin(file, "reset");
  const another = readBegin(file, "new");
  return {
    remedy: REMEDIES[reset.answer],
    cleanStart: STARTS[another.answer],
    evidence: seqsOf(...reset.records, ...another.records),
  };
}

/** `blank`: its first request shows no more than the first request of the trial. */
type Begin = {
  readonly answer: "blank" | "history" | "failed" | "untested" | "unknown";
  readonly records: readonly (JournalRecord | undefined)[];
};

const REMEDIES = {
  blank: "without-history",
  history: "with-history",
  failed: "failed",
  untested: "untested",
  unknown: "unknown",
} as const;
const STARTS = { ...REMEDIES, blank: "clean", history: "leaked" } as const;

function readBegin(file: CaseFile, beginning: "reset" | "new"): Begin {
  const begun = file.of("session.begun").find((one) => one.beginning === beginning);
  if (begun === undefined) return { answer: "untested", records: [] };
  const settled = file.of("session.settled").find(({ operationId }) => operationId === begun.operationId);
  const [first] = file.of("model.requested").filter(({ purpose }) => purpose === "turn");
  const asked =
    settled === undefined
      ? undefined
      : file
          .of("model.requested")
          .find(
            ({ seq, purpose }) => purpose === "turn" && seq > askedFrom(file, begun) && seq < settled.seq,
          );
  const records = [begun, settled, asked];
  if (settled?.status === "unanswered" || begun.error !== null) return { answer: "failed", records };
  if (asked === undefined || first === undefined) return { answer: "unknown", records };
  const isBlank = !showsHistory(file, asked) && asked.results.length === 0;
  return { answer: isBlank ? "blank" : "history", records };
}

/** Its submission is recorded when it was answered, and the work that it brings about may be recorded before. */
function askedFrom(file: CaseFile, begun: JournalRecord<"session.begun">): number {
  return (
    file.records.findLast(
      ({ seq, type }) =>
        seq < begun.seq &&
        (type === "identity.read" || type === "session.settled" || type === "wait.expired"),
    )?.seq ?? file.probeFrom
  );
}
