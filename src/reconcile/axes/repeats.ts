/**
 * Why there was more than one attempt at an action: one cause for each attempt beyond the intended number. A cause is
 * named only when the records show it; the order of the questions below is the order of precedence.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { AttemptStory, CaseFile } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { type Axis, agreed, type Counter, counted, wordLines } from "./axis.ts";

const RepeatCause = z.enum([
  "model-reissue",
  "runtime-replay",
  "caller-resubmit",
  "tool-internal-retry",
  "concurrent-owner",
  "late-commit",
  "unknown",
]);
type RepeatCause = z.infer<typeof RepeatCause>;

/** Why there was more than one attempt; empty when there was not. One entry per repeated attempt. */
const schema = z.array(
  z.strictObject({ attempt: z.number().int().min(1), cause: RepeatCause, evidence: Evidence }),
);
export type RepeatsAnswer = z.infer<typeof schema>;
type Repeat = RepeatsAnswer[number];

export const repeats = {
  name: "repeats",
  schema,
  codes: {},
  undecided: () => [],
  judge: judgeRepeats,
  expected: {
    repeat: { schema: z.array(RepeatCause), words: (answer) => answer.map(({ cause }) => cause) },
  },
  columns: [
    {
      title: "repeat",
      kind: "words",
      cell: (answers) => agreed(answers.map((answer) => wordLines(answer.map(({ cause }) => cause)))),
    },
  ],
  counted: {
    /** Causes of repeated attempts. */
    repeats: counted({
      schema: Tally,
      of: (count: Counter<RepeatsAnswer>) => count.tally((answer) => answer.map(({ cause }) => cause)),
    }),
  },
} as const satisfies Axis<RepeatsAnswer>;

function judgeRepeats(file: CaseFile): Repeat[] {
  const byAction = new Map<string, AttemptStory[]>();
  for (const story of file.attempts) {
    const list = byAction.get(story.received.action) ?? [];
    list.push(story);
    byAction.set(story.received.action, list);
  }
  const found: Repeat[] = [];
  for (const [action, stories] of byAction) {
    const intended = file.spec.intended.find((one) => one.action === action)?.effects ?? 0;
    for (let index = Math.max(1, intended); index < stories.length; index += 1) {
      const previous = stories[index - 1];
      const next = stories[index];
      if (previous === undefined || next === undefined) continue;
      const [cause, evidence] = causeOf(file, previous, next);
      found.push({
        attempt: next.received.attempt,
        cause,
        evidence: seqsOf(previous.received, next.received, evidence),
      });
    }
  }
  return found.sort((a, b) => a.attempt - b.attempt);
}

function causeOf(
  file: CaseFile,
  previous: AttemptStory,
  next: AttemptStory,
): [RepeatCause, readonly { seq: number }[]] {
  const from = previous.received.seq;
  const until = next.received.seq;
  const between = (record: { seq: number }) => record.seq > from && record.seq < until;

  const again = file.resubmitted;
  if (again !== null && between({ seq: file.resubmittedFrom })) return ["caller-resubmit", [again]];

  const superseding = supersededBy(file, next);
  if (superseding !== null) return ["concurrent-owner", [superseding]];

  const commit = previous.committed;
  const reset = file.lastLoss;
  if (commit !== null && commit.seq > until && reset !== null && commit.seq > reset.from)
    return ["late-commit", [commit, reset.performed]];

  // Nested calls of one code-mode program share its id, so the id does not tell them apart.
  const wrapped = file.collect.log?.events.some(
    ({ call, wrapped }) => call === next.received.call && wrapped === true,
  );
  if (wrapped) return ["unknown", []];

  const turns = file.of("model.requested").filter((record) => record.purpose === "turn" && between(record));
  const answers = turns.flatMap((turn) => answerTo(file, turn) ?? []);
  const asking = answers.find(({ toolCalls }) => toolCalls.some(({ call }) => call === next.received.call));
  if (asking !== undefined) {
    const turn = turns.find(({ call }) => call === asking.call);
    return ["model-reissue", turn === undefined ? [asking] : [turn, asking]];
  }
  if (previous.received.call !== next.received.call) return ["unknown", []];

  const answered = [previous.sent, previous.rejected].find((record) => record !== null && between(record));
  const sameOwner = previous.received.activation === next.received.activation;
  if (answered != null && sameOwner) return ["tool-internal-retry", [answered]];
  // A request whose answer is not recorded may have asked for this call.
  return answers.length === turns.length ? ["runtime-replay", []] : ["unknown", turns];
}

/** The activation that had taken over before this attempt came, if there was one. */
function supersededBy(file: CaseFile, story: AttemptStory): JournalRecord<"subject.activated"> | null {
  const own = file.activations.find(({ activation }) => activation === story.received.activation);
  if (own === undefined) return null;
  return (
    file.activations.find(
      (other) =>
        !other.late &&
        other.seq < story.received.seq &&
        other.activation !== own.activation &&
        (own.late ? other.generation > own.generation : other.seq > own.seq),
    ) ?? null
  );
}

function answerTo(
  file: CaseFile,
  turn: JournalRecord<"model.requested">,
): JournalRecord<"model.answered"> | undefined {
  return file.of("model.answered").find(({ call }) => call === turn.call);
}
