/**
 * What became of the open host while nothing asked for it: closed by the harness, as one that is idle is, or gone with its
 * object. Both leave nothing in memory; only the second is a loss, and an eviction by the runtime must not be taken for
 * the first.
 *
 * The host is the one that was open when the quiet interval began, or else the first that was opened in it. A closing counts
 * only where it was recorded: an object that is evicted cannot close anything.
 */
import { z } from "zod";
import { Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { CaseFile } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { type Axis, agreedInLine, type Counter, counted, expectedWord, SHARED_CODES } from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  closed: "The harness closed it.",
  "closed-then-lost": "The harness closed it, and its object was lost later.",
  lost: "It went with its object.",
  "kept-open": "It stayed open.",
  "not-applicable": "No host was open and idle.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value).extend({
  /** From the last request to the model until the closing, in ms; null where none was recorded. */
  closedAfterMs: z.number().nullable(),
});
type IdleHostAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "no-host-recorded": "No opening of a host was recorded: the subject has none, or it was not watched.",
  "no-quiet-interval": "There was no quiet interval in which a host could be idle.",
  "no-host-open": "No host was open in the quiet interval.",
  "closed-and-reopened": "The harness closed the idle host, and the same activation opened it again.",
  "closed-not-reopened": "The harness closed the idle host, and nobody opened it again.",
  "object-lost-after-closing":
    "The harness closed the idle host; afterwards its object was lost, and another activation opened it again.",
  "lost-with-reset": "The host went with its object, which the trial's reset took.",
  "lost-with-object":
    "The host went with its object, which no reset of the trial took: the runtime evicted it, or it failed.",
  "still-open": "The same activation answered afterwards, and no closing was recorded.",
  "closing-not-recorded": "The host was opened again by the same activation, and no closing was recorded.",
  "nobody-answered": "Nobody answered afterwards, and no closing was recorded.",
} as const;
const WITH_RESET = "lost-with-reset" satisfies keyof typeof CODES;

type Judged = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const idleHost = {
  name: "idleHost",
  asks: "What became of a host that was idle in the quiet interval?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], closedAfterMs: null }),
  judge: judgeIdleHost,
  said: ({ value, code, evidence, closedAfterMs }) => [
    {
      words: closedAfterMs === null ? value : `${value} after ${(closedAfterMs / 1_000).toFixed(1)} s`,
      code,
      evidence,
    },
  ],
  expected: { idleHost: expectedWord(Value) },
  columns: [],
  note: (answers) => {
    // What a reset takes with it was not idle on its own.
    const told = answers.filter(({ value, code }) => value !== "not-applicable" && code !== WITH_RESET);
    const words = told.map(({ value }) => value);
    return words.length === 0 ? [] : [`idle host ${agreedInLine(words)}`];
  },
  counted: {
    /** What became of the host while nothing asked for it. */
    idleHost: counted({
      schema: Tally,
      of: (count: Counter<IdleHostAnswer>) => count.tally(({ value }) => value),
      asked: { question: "idle host?", answers: (tally) => tally, usual: null },
    }),
  },
} as const satisfies Axis<IdleHostAnswer>;

function judgeIdleHost(file: CaseFile): IdleHostAnswer {
  const openings = file.of("host.opened");
  const quiet = file.of("quiet.started").at(-1);
  const quietEnded = file.of("quiet.ended").find(({ seq }) => seq > (quiet?.seq ?? 0));
  const say = (judged: Judged, closedAfterMs: number | null = null) => ({ ...judged, closedAfterMs });
  if (openings.length === 0) return say(answer("not-applicable", "no-host-recorded", file.ended));
  if (quiet === undefined || quietEnded === undefined)
    return say(answer("not-applicable", "no-quiet-interval", file.ended));
  const host =
    openings.findLast(({ seq }) => seq < quiet.seq) ??
    openings.find(({ seq }) => seq > quiet.seq && seq < quietEnded.seq);
  if (host === undefined) return say(answer("not-applicable", "no-host-open", quiet, quietEnded, openings));
  const closing = file
    .of("host.closed")
    .find(({ activation, opening }) => activation === host.activation && opening === host.opening);
  const next = openings.find(({ seq }) => seq > host.seq);
  const successor = file.activations.find(
    ({ activation, seq, late }) => seq > host.seq && !late && activation !== host.activation,
  );
  if (closing !== undefined) {
    const asked = file.of("model.requested").findLast(({ seq }) => seq < closing.seq);
    const afterMs = asked === undefined ? null : closing.at - asked.at;
    if (next?.activation === host.activation)
      return say(answer("closed", "closed-and-reopened", host, closing, next), afterMs);
    return successor === undefined
      ? say(answer("closed", "closed-not-reopened", host, closing, file.ended), afterMs)
      : say(answer("closed-then-lost", "object-lost-after-closing", host, closing, successor), afterMs);
  }
  if (next?.activation === host.activation) return say(answer("unknown", "closing-not-recorded", host, next));
  const loss = file.resets.find(({ from, hostLoss }) => hostLoss && from > host.seq);
  if (loss !== undefined) return say(answer("lost", WITH_RESET, host, loss.performed, successor));
  if (successor !== undefined) return say(answer("lost", "lost-with-object", host, successor));
  const answered = answeredBy(file, host.activation, quietEnded.seq);
  return answered === undefined
    ? say(answer("unknown", "nobody-answered", host, file.ended))
    : say(answer("kept-open", "still-open", host, answered));
}

/** The first record after `from` of a request that this activation answered. */
function answeredBy(file: CaseFile, activation: string, from: number): JournalRecord | undefined {
  return file.acts.get(activation)?.find(({ seq, type }) => seq > from && type !== "receipt.sent");
}
