/**
 * Why there was more than one attempt at an action. A cause is named only when the records show it, and is sought in the
 * answer that asked for the attempt's call; an attempt may have several causes, an entry each.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { AttemptStory, CaseFile } from "../case-file.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { type Axis, agreed, type Counter, counted, wordLines } from "./axis.ts";
import { words } from "./words.ts";

const RepeatCause = words({
  "model-reissue": "The model asked again, with a new call id.",
  "runtime-replay": "The same call ran again without a model request between.",
  "caller-resubmit": "A client handed the operation in again, and it was taken as new.",
  "tool-internal-retry": "The tool tried again within one call.",
  "concurrent-owner": "Two activations worked on it at once.",
  "late-commit": "The first attempt landed after recovery had acted.",
  unknown: "The evidence does not decide it.",
});
type RepeatCause = z.infer<typeof RepeatCause>;

/** Why there was more than one attempt; empty when there was not. One entry per repeated attempt and cause. */
const schema = z.array(
  z.strictObject({ attempt: z.number().int().min(1), cause: RepeatCause, evidence: Evidence }),
);
export type RepeatsAnswer = z.infer<typeof schema>;
type Repeat = RepeatsAnswer[number];

export const repeats = {
  name: "repeats",
  asks: "Why was there more than one attempt?",
  schema,
  codes: {},
  undecided: () => [],
  judge: judgeRepeats,
  said: (answer) =>
    answer.map(({ attempt, cause, evidence }) => ({
      words: `attempt ${attempt}: ${cause}`,
      code: null,
      evidence,
    })),
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
      asked: { question: "repeated because?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<RepeatsAnswer>;

function judgeRepeats(file: CaseFile): Repeat[] {
  const asking = readAsking(file);
  const wrapped = new Set(
    (file.collect.log?.events ?? []).flatMap(({ call, wrapped: nested }) =>
      nested === true && call !== undefined ? [call] : [],
    ),
  );
  const earliest = new Map<string | null, AttemptStory>();
  const found: Repeat[] = [];
  for (const [action, stories] of Map.groupBy(file.attempts, ({ received }) => received.action)) {
    const intended = file.spec.intended.find((one) => one.action === action)?.effects ?? 0;
    earliest.clear();
    stories.forEach((next, index) => {
      const previous = stories[index - 1];
      const same = earliest.get(next.call);
      if (previous !== undefined && index >= Math.max(1, intended))
        for (const [cause, evidence] of causesOf({ file, asking, wrapped, previous, next, same }))
          found.push({
            attempt: next.received.attempt,
            cause,
            evidence: seqsOf(previous.received, next.received, evidence),
          });
      if (same === undefined) earliest.set(next.call, next);
    });
  }
  return found.sort((a, b) => a.attempt - b.attempt);
}

type Question = {
  readonly file: CaseFile;
  readonly asking: Asking;
  /** Calls made inside a program: they share its id, so the id does not tell them apart. */
  readonly wrapped: ReadonlySet<string>;
  readonly previous: AttemptStory;
  readonly next: AttemptStory;
  /** An earlier attempt under the same call id; where no call is known of it, under none. */
  readonly same: AttemptStory | undefined;
};
type Cause = readonly [RepeatCause, readonly { readonly seq: number }[]];

/** Why an attempt was made, and, beside it, that somebody who had been replaced made it. */
function causesOf(question: Question): Cause[] {
  const { file, next } = question;
  const superseding = supersededBy(file, next);
  const alive = aliveBeside(file, next);
  const taken: Cause[] =
    superseding !== null
      ? [["concurrent-owner", [superseding]]]
      : alive.length > 0
        ? [["concurrent-owner", alive]]
        : [];
  const asked = askedCause(question);
  // Who acts beside its successor needs no further reason, unless the records show one.
  return asked[0] === "unknown" && taken.length > 0 ? taken : [asked, ...taken];
}

function askedCause({ file, asking, wrapped, previous, next, same }: Question): Cause {
  const from = previous.received.seq;
  const until = next.received.seq;
  const between = (record: { seq: number }) => record.seq > from && record.seq < until;

  const again = file.resubmitted;
  if (again !== null && between({ seq: file.resubmittedFrom })) return ["caller-resubmit", [again]];
  const other = file
    .of("operation.submitted")
    .find(
      ({ seq, operationId, accepted }) =>
        seq > from && seq < until && operationId !== file.spec.operationId && accepted !== false,
    );
  if (other !== undefined && other.purpose !== "new-id") return ["caller-resubmit", [other]];
  const anew = askedAnew(file, asking, next);
  if (anew !== null) return ["caller-resubmit", anew];

  const twin = twinOf(file, asking, next);
  if (twin !== undefined) return ["caller-resubmit", [twin]];

  const commit = previous.committed;
  const reset = file.lastLoss;
  if (commit !== null && commit.seq > until && reset !== null && commit.seq > reset.from)
    return ["late-commit", [commit, reset.performed]];

  // Who says nothing of its calls, and of the requests behind them, leaves open why it made one more.
  if ((next.call !== null && wrapped.has(next.call)) || file.spec.agent !== undefined) return ["unknown", []];
  if (same === undefined) {
    // The answer that asked for this very call, wherever it stands: one answer may ask for two.
    const asked = next.call === null ? undefined : asking.answers.get(next.call);
    if (asked === undefined || asked.seq > until) return ["unknown", []];
    const turn = asking.requests.get(asked.call);
    return ["model-reissue", turn === undefined ? [asked] : [turn, asked]];
  }

  const answered = [same.sent, same.rejected].find((record) => record !== null && record.seq < until);
  const sameOwner =
    next.received.activation !== null && same.received.activation === next.received.activation;
  if (answered != null && sameOwner) return ["tool-internal-retry", [answered]];
  // A request whose answer is not recorded may have asked for this call.
  const open = asking.unanswered.filter(({ seq }) => seq > same.received.seq && seq < until);
  return open.length === 0 ? ["runtime-replay", []] : ["unknown", open];
}

/**
 * That a client handed the same prompt in under another id, and the request behind the call shows both. Beside the first one
 * under way, the order of the records alone would not tell whose call it is.
 */
function askedAnew(
  file: CaseFile,
  asking: Asking,
  { call, received }: AttemptStory,
): { seq: number }[] | null {
  const anew = file
    .of("operation.submitted")
    .find(({ purpose, accepted }) => purpose === "new-id" && accepted === true);
  const answer = call === null ? undefined : asking.answers.get(call);
  const turn = answer === undefined ? undefined : asking.requests.get(answer.call);
  if (anew === undefined || turn === undefined || turn.seq > received.seq) return null;
  return (turn.prompts ?? 1) > 1 ? [anew, turn] : null;
}

/** The same request, taken as new beside the one that was: its turn begins like any, and shows nothing of the other's. */
function twinOf(
  file: CaseFile,
  asking: Asking,
  { call, received }: AttemptStory,
): JournalRecord<"operation.submitted"> | undefined {
  const answer = call === null ? undefined : asking.answers.get(call);
  const turn = answer === undefined ? undefined : asking.requests.get(answer.call);
  if (turn === undefined || turn.results.length > 0) return undefined;
  return file
    .of("operation.submitted")
    .findLast(
      ({ purpose, accepted, seq }) => purpose === "at-once" && accepted === true && seq < received.seq,
    );
}

/** Which answer asked for which call first, and which requests have no answer. */
type Asking = {
  readonly answers: ReadonlyMap<string, JournalRecord<"model.answered">>;
  readonly requests: ReadonlyMap<number, JournalRecord<"model.requested">>;
  readonly unanswered: readonly JournalRecord<"model.requested">[];
};

function readAsking(file: CaseFile): Asking {
  const answers = new Map<string, JournalRecord<"model.answered">>();
  const answered = new Set<number>();
  for (const record of file.of("model.answered")) {
    answered.add(record.call);
    for (const { call } of record.toolCalls) if (!answers.has(call)) answers.set(call, record);
  }
  const turns = file.of("model.requested").filter(({ purpose }) => purpose === "turn");
  return {
    answers,
    requests: new Map(turns.map((turn) => [turn.call, turn])),
    unanswered: turns.filter(({ call }) => !answered.has(call)),
  };
}

/** Signs of life of the activation that had been replaced by the one that made this attempt. */
function aliveBeside(file: CaseFile, { received }: AttemptStory): readonly JournalRecord[] {
  const replaced = file.resets.find(
    ({ owner, from }) => owner !== null && owner.activation !== received.activation && from < received.seq,
  );
  return replaced?.signsOfLife.filter(({ seq }) => seq < received.seq) ?? [];
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
