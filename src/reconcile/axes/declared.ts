/**
 * Whether the state that was declared to the harness was all that the next executor needed: what is not declared is not
 * carried over, and may be missed, or be brought by nobody knows whom.
 */
import type { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { CaseFile } from "../case-file.ts";
import { answer, answerSchema } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  "only-declared":
    "The next executor did its work with what was declared, or with the container's whole file system.",
  "missing-visible": "State was missing, and new work failed for it.",
  "hidden-used": "State that nobody declared was there all the same.",
  "not-applicable": "No executor was replaced, or none was asked for new work.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value);
type DeclaredAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-replacement": "No other executor was started after the loss.",
  "declared-enough": "New work was answered by an executor in which nothing undeclared of before was found.",
  "whole-snapshot":
    "New work was answered by an executor that began from a snapshot of the whole file system.",
  "new-work-failed":
    "New work ended without an answer, in an executor that lacks the declared state of before.",
  "failed-with-state": "New work ended without an answer, although the declared state of before was there.",
  "undeclared-found": "An executor that began empty has an undeclared file of the one before.",
  "not-read": "What lay in its container was not read.",
  "nothing-asked": "No new work was asked for.",
} as const;

export const declared = {
  name: "declared",
  asks: "Was the declared state all that the next executor needed?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: judgeDeclared,
  said: ({ value, code, evidence }) => [{ words: value, code, evidence }],
  expected: { declared: expectedWord(Value) },
  columns: [],
  note: (answers) => {
    const told = answers.filter(({ value }) => value !== "not-applicable");
    return told.length === 0 ? [] : [`state ${agreedInLine(told.map(({ value }) => value))}`];
  },
  counted: {
    /** Whether declared state was all that the next executor needed. */
    declared: counted({
      schema: Tally,
      of: (count: Counter<{ readonly value: string }>) => count.tally(({ value }) => value),
      asked: { question: "state declared?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<DeclaredAnswer>;

function judgeDeclared(file: CaseFile): DeclaredAnswer {
  const next = file.executorLoss?.next ?? null;
  if (next === null) return answer("not-applicable", "no-replacement", file.ended);
  if (file.probe === null && !file.stopped)
    return answer("not-applicable", "nothing-asked", next, file.ended);
  const readings = file.of("identity.read").filter(({ error }) => error === null);
  const before = readings.findLast(({ moment }) => moment === "before");
  const after = readings.find(({ moment, running }) => moment === "follow-up" && running === true);
  if (after === undefined || before === undefined) return answer("unknown", "not-read", next, before, after);
  const settled = file.of("probe.settled")[0];
  if (settled === undefined) return answer("unknown", "nothing-asked", next, file.ended);
  const found = after.markers.undeclared;
  if (next.from === "image" && found !== null && found === before.markers.undeclared)
    return answer("hidden-used", "undeclared-found", next, before, after);
  if (settled.status !== "done")
    return after.markers.state !== null && after.markers.state === before.markers.state
      ? answer("unknown", "failed-with-state", next, before, after, settled)
      : answer("missing-visible", "new-work-failed", next, before, after, settled);
  return next.from === "snapshot"
    ? answer("only-declared", "whole-snapshot", next, before, after, settled)
    : answer("only-declared", "declared-enough", next, before, after, settled);
}
