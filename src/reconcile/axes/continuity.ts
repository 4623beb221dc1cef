/**
 * What was kept for new work: the conversation, the record of what was done outside, the files. Three answers, each by its own
 * evidence: a session may come back with its messages and without its files, and neither says what it knows of an effect.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { CaseFile } from "../case-file.ts";
import { isAnswered } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted } from "./axis.ts";
import { askedForProbe, showsHistory } from "./response-executor.ts";
import { words } from "./words.ts";

const Conversation = words({
  kept: "The model was shown the session's earlier messages.",
  lost: "The model was shown none of them.",
  unreachable: "New work failed before the model was asked: whatever is left of it cannot be used.",
  untested: "No new work was asked for, or there was nothing before it.",
  unknown: "The evidence does not decide it.",
});
const BusinessRecord = words({
  agrees: "The session knows the operation, and says of its effect what the ledger says.",
  incomplete: "The session knows the operation, and not every effect that it had.",
  contradicts: "The session claims an effect that the ledger has not.",
  lost: "The session does not know the operation any more.",
  untested: "Nobody asked.",
  unknown: "The evidence does not decide it.",
});
const Files = words({
  kept: "The marker that lay in the workspace before lies there.",
  lost: "It is gone.",
  unreachable: "No executor runs whose files could be looked at.",
  untested: "There was none before, or nothing was lost, or the work is not done in files.",
  unknown: "The evidence does not decide it.",
});

const schema = z.strictObject({
  conversation: Conversation,
  businessRecord: BusinessRecord,
  files: Files,
  evidence: Evidence,
});
type Continuity = z.infer<typeof schema>;

export const continuity = {
  name: "continuity",
  asks: "What was kept for new work: conversation, business record, files?",
  schema,
  codes: {},
  undecided: () => ({ conversation: "unknown", businessRecord: "unknown", files: "unknown", evidence: [] }),
  judge: judgeContinuity,
  said: (one) => [{ words: continuityLine(one), code: null, evidence: one.evidence }],
  expected: {
    conversation: { schema: Conversation, words: ({ conversation }) => [conversation] },
    businessRecord: { schema: BusinessRecord, words: ({ businessRecord }) => [businessRecord] },
    files: { schema: Files, words: ({ files }) => [files] },
  },
  columns: [],
  note: (answers) => {
    // Where nothing is kept apart from the object, and no conversation was lost, the other axes say it all.
    const told = answers.filter(
      ({ conversation, files }) =>
        files !== "untested" || conversation === "lost" || conversation === "unreachable",
    );
    return told.length === 0 ? [] : [agreedInLine(told.map(continuityLine))];
  },
  counted: {
    /** What was kept for new work: conversation, business record and files in one line. */
    continuity: counted({
      schema: Tally,
      of: (count: Counter<Continuity>) => count.tally(continuityLine),
      asked: { question: "continuity", answers: (tally) => tally, usual: null },
      listed: true,
    }),
  },
} as const satisfies Axis<Continuity>;

/** E.g. `conversation kept · business record agrees · files lost`. */
function continuityLine({ conversation, businessRecord, files }: Continuity): string {
  return `conversation ${conversation} · business record ${businessRecord} · files ${files}`;
}

function judgeContinuity(file: CaseFile): Continuity {
  const settled = file.of("probe.settled")[0];
  const [before, after] = markerReadings(file);
  return {
    conversation: conversationOf(file),
    businessRecord: businessRecordOf(file),
    files: filesOf(file),
    evidence: seqsOf(
      file.workLoss?.performed,
      file.probe,
      askedForProbe(file),
      settled,
      file.settled,
      before,
      after,
    ),
  };
}

function conversationOf(file: CaseFile): Continuity["conversation"] {
  const { probe, submitted } = file;
  if (probe === null || submitted === null) return "untested";
  const asked = askedForProbe(file);
  if (asked !== undefined) {
    const isFirst = !file
      .of("model.requested")
      .some(({ seq, purpose }) => purpose === "turn" && seq < asked.seq);
    if (isFirst) return "untested";
    return showsHistory(file, asked) ? "kept" : "lost";
  }
  const settled = file.of("probe.settled")[0];
  if (settled === undefined) return "unknown";
  return settled.status === "done" ? "unknown" : "unreachable";
}

function businessRecordOf(file: CaseFile): Continuity["businessRecord"] {
  const { settled, resubmitted } = file;
  if (file.stopped) return "unknown";
  if (settled === null) return "untested";
  if (resubmitted !== null) return "lost";
  const effects = file.of("effect.committed").length;
  const claimed = isAnswered(settled) && settled.status === "done" && settled.claim.claim === "committed";
  if (claimed && effects === 0) return "contradicts";
  if (claimed) return effects === 1 ? "agrees" : "incomplete";
  return effects === 0 ? "agrees" : "incomplete";
}

/** The readings of before the loss and of after it: the last that found an executor, or else the last. */
function markerReadings(file: CaseFile) {
  const readings = file.of("identity.read").filter(({ error }) => error === null);
  const before = readings.findLast(({ moment }) => moment === "before");
  const later = readings.filter(({ moment }) => moment === "follow-up" || moment === "settled");
  return [before, later.find(({ running }) => running === true) ?? later.at(-1)] as const;
}

function filesOf(file: CaseFile): Continuity["files"] {
  const [before, after] = markerReadings(file);
  const marker = before?.markers.workspace ?? null;
  if (file.workLoss === null || marker === null) return "untested";
  if (after === undefined) return "unknown";
  if (after.running !== true) return "unreachable";
  return after.markers.workspace === marker ? "kept" : "lost";
}
