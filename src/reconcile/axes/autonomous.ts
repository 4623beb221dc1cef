/**
 * Whether the object came back before any client asked for it, judged by what was in the journal before the first
 * record that allows for a client's request.
 */
import { z } from "zod";
import type { CaseFile } from "../case-file.ts";
import { firstClientTouch, isAnswered, isTouch } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { type Axis, agreed, expectedYesNo, NOTHING, SHARED_CODES } from "./axis.ts";

const Value = z.enum(["yes", "no", "not-applicable", "unknown"]);
/** Whether the object came back before any client asked for it, and after how many ms from the last reset. */
const schema = answerSchema(Value).extend({ wokeAfterMs: z.number().nullable() });
export type AutonomousAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "started-by-kit": "The subject is a process: only the kit can start it, so it was not tried alone.",
  "alarm-before-client": "An alarm woke the object before any client came.",
  "client-came-at-once": "The client came back at once, so waking alone was not tried.",
  "quiet-not-recorded": "The quiet interval was not recorded.",
  "quiet-disturbed": "The object was touched during the quiet interval.",
  "never-woke": "The object did not wake.",
  "client-came-first": "The object woke only when a client could have asked for it.",
  "woken-by-unrecorded-request": "A request that nobody recorded woke the object.",
  "woke-in-quiet": "The object woke during the quiet interval.",
} as const;

type Autonomous = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const autonomous = {
  name: "autonomous",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [], wokeAfterMs: null }),
  judge: judgeAutonomous,
  expected: { autonomous: expectedYesNo },
  columns: [{ title: "woke", kind: "time", cell: wokeText }],
  counted: {},
} as const satisfies Axis<AutonomousAnswer>;

function judgeAutonomous(file: CaseFile): AutonomousAnswer {
  const answered = answerFor(file);
  const { lastLoss, newest } = file;
  const wokeAfterMs =
    answered.value === "yes" && lastLoss !== null && newest !== null ? wokeAfter(file) : null;
  return { ...answered, wokeAfterMs };
}

function answerFor(file: CaseFile): Autonomous {
  const { lastLoss } = file;
  if (lastLoss === null) return answer("not-applicable", "no-host-loss", file.ended);
  const settled = file.of("operation.settled").find((record) => isAnswered(record));
  if (settled !== undefined && settled.seq < lastLoss.from)
    return answer("not-applicable", "nothing-owed", settled, lastLoss.performed);
  if (lastLoss.successor === null && lastLoss.performed.process === null)
    return answer("unknown", "reset-not-delivered", lastLoss.performed);
  const [stranger] = file.unrecorded;
  if (stranger !== undefined) return answer("unknown", "subject.activated", stranger);

  const starter = firstWaking(file);
  if (starter?.cause === "process-start")
    return answer("not-applicable", "started-by-kit", lastLoss.performed, starter);
  const from = lastLoss.from;
  const boundary = firstClientTouch(file, from);
  const woken = firstWaking(file);
  const before = woken !== null && (boundary === null || woken.seq < boundary.seq);
  const { reconnect } = file.spec.factors;
  if (reconnect === "at-once")
    return before && woken.cause === "alarm"
      ? answer("yes", "alarm-before-client", woken, boundary)
      : answer("not-applicable", "client-came-at-once", woken, boundary);

  const started = file.of("quiet.started").findLast(({ seq }) => seq > from);
  const ended = file.of("quiet.ended").find(({ seq }) => seq > (started?.seq ?? from));
  if (started === undefined || ended === undefined)
    return answer("unknown", "quiet-not-recorded", lastLoss.performed, boundary);
  const disturber = file.records.find(
    (record) => record.seq > lastLoss.performed.seq && record.seq < ended.seq && isTouch(record),
  );
  if (disturber !== undefined) return answer("unknown", "quiet-disturbed", started, disturber);
  if (woken === null && file.stopped) return answer("unknown", "trial-stopped", started, file.ended);
  if (woken === null) return answer("no", "never-woke", started, ended, file.ended);
  if (!before) return answer("no", "client-came-first", boundary, woken);
  if (woken.cause === "fetch" || woken.cause === "rpc")
    return answer("unknown", "woken-by-unrecorded-request", woken, started);
  return answer(
    "yes",
    woken.cause === "alarm" ? "alarm-before-client" : "woke-in-quiet",
    woken,
    started,
    ended,
  );
}

function firstWaking(file: CaseFile) {
  const successor = file.lastLoss?.successor ?? null;
  return successor?.late === true ? file.newest : successor;
}

function wokeAfter(file: CaseFile): number | null {
  const { lastLoss } = file;
  const woken = firstWaking(file);
  if (lastLoss === null || woken === null) return null;
  return woken.at - startOf(file, woken.seq);
}

/** The ledger's time of the last reset; of its request when the object was back before the report. */
function startOf(file: CaseFile, wokenSeq: number): number {
  const { performed, requested } = file.lastLoss ?? {};
  if (performed === undefined) return 0;
  return performed.seq < wokenSeq ? performed.at : (requested?.at ?? performed.at);
}

/** From the reset until the object came back before any client, as a range over the trials; `no` if it did not. */
function wokeText(answers: readonly AutonomousAnswer[]): string {
  const times = answers.flatMap(({ value, wokeAfterMs }) =>
    value === "yes" && wokeAfterMs !== null ? [wokeAfterMs / 1_000] : [],
  );
  const others = answers.flatMap(({ value }) =>
    value === "yes" ? [] : [value === "not-applicable" ? NOTHING : value === "unknown" ? "?" : value],
  );
  const [least, most] = [Math.min(...times).toFixed(1), Math.max(...times).toFixed(1)];
  const range = times.length === 0 ? [] : least === most ? [least] : [`${least}–`, most];
  return [...range, ...(others.length === 0 ? [] : [agreed(others)])].join("\n") || NOTHING;
}
