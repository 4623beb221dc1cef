/**
 * What becomes of ids that a client was handed for work of before the loss: refused, or taken for the ids of other work. Work is
 * told apart by the name that its output shows.
 */
import type { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import {
  type Axis,
  agreedInLine,
  type Counter,
  counted,
  expectedWord,
  SHARED_CODES,
  saidWord,
} from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  rejected: "An id of before the loss names nothing any more, and the subject says so.",
  aliased: "An id names other work than that for which it was handed out.",
  kept: "An id of before the loss names the same work still.",
  untested: "No id of before a loss was used after it.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value);
type ReferencesAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-references": "The subject hands out no ids of its executor's work, or none was used after a loss.",
  "refused-throughout": "It was rejected before there was new work, and after.",
  "refused-unused": "It was rejected, and there was no new work for which it could have been taken.",
  "other-work-read": "The output of other work was read under it.",
  "same-work-read": "The output of its own work was read under it, before there was new work and after.",
  "lost-later": "Its own work answered to it at first, and nothing did later.",
} as const;

export const references = {
  name: "references",
  asks: "What becomes of ids of work of before the loss?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: judgeReferences,
  said: saidWord,
  expected: { references: expectedWord(Value) },
  columns: [],
  note: (answers) => {
    const told = answers.filter(({ value }) => value !== "untested");
    return told.length === 0 ? [] : [`old references ${agreedInLine(told.map(({ value }) => value))}`];
  },
  counted: {
    /** What became of ids of work of before the loss. */
    references: counted({
      schema: Tally,
      of: (count: Counter<ReferencesAnswer>) => count.tally(({ value }) => value),
      asked: { question: "old references?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<ReferencesAnswer>;

/** One use of an id, and the work for which it was handed out. */
type Use = { readonly used: JournalRecord<"reference.used">; readonly given: JournalRecord<"work.begun"> };

function judgeReferences(file: CaseFile): ReferencesAnswer {
  const begun = file.of("work.begun");
  const uses = file.of("reference.used").flatMap((used): Use[] => {
    const given = begun.find(({ seq }) => seq === used.because);
    return given === undefined ? [] : [{ used, given }];
  });
  const old = uses.filter(({ given }) => given.moment === "before");
  if (file.workLoss === null || old.length === 0) return answer("untested", "no-references", file.ended);
  // An id of new work that names other work is as bad: two pieces were given the same one.
  const aliased = uses.find(({ used, given }) => used.work !== null && used.work !== given.work);
  if (aliased !== undefined) {
    const other = begun.find(({ work }) => work === aliased.used.work);
    return answer("aliased", "other-work-read", aliased.given, other, aliased.used);
  }
  const evidence = old.flatMap(({ used, given }) => [given, used]);
  const named = old.filter(({ used }) => used.work !== null);
  const hasNewWork = begun.some(({ moment, reference }) => moment === "after" && reference !== null);
  if (named.length === 0)
    return answer("rejected", hasNewWork ? "refused-throughout" : "refused-unused", ...evidence);
  if (named.length === old.length) return answer("kept", "same-work-read", ...evidence);
  return answer("rejected", "lost-later", ...evidence);
}
