/**
 * What trying somebody's agent comes to, after one loss or several: whether it repeats its effect, what would have prevented it, and whether the kit's own
 * agents show that the answer can be believed. Pure: judged trials with their records in, words and an exit code out.
 */
import { z } from "zod";
import type { Verdict } from "../../src/reconcile/verdict.ts";
import { type JournalRecord, ofType } from "../../src/trace/records.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { EXIT, type ExitCode } from "../stored/outcome.ts";

export type TriedTrial = {
  readonly spec: TrialSpec;
  readonly verdict: Verdict;
  readonly records: readonly JournalRecord[];
};

export const TryAnswer = z.strictObject({
  /** `undone`: fewer effects than intended. `unknown`: nothing can be said, and `sentences` say why. */
  answer: z.enum(["safe", "repeats", "undone", "unknown"]),
  /** The answer first, then what belongs to it. */
  sentences: z.array(z.string()).min(1),
  /** What would have prevented the repeat; null where there was none. */
  prevention: z.string().nullable(),
  /** One for each trial, in the order in which they are told. */
  trials: z.array(z.strictObject({ trial: z.string(), line: z.string() })),
  controls: z.string(),
});
export type TryAnswer = z.infer<typeof TryAnswer>;

/** What is worst is what is said of several losses. */
const BY_WEIGHT: readonly Said["answer"][] = ["repeats", "undone", "unknown", "safe"];

/** The agent under trial first, and of the same subject the undisturbed trial. */
const ORDER: readonly string[] = ["command", "command-keyed", "canary-keyless"];

const CALLED: Readonly<Record<string, string>> = {
  command: "your agent",
  "command-keyed": "control with a stored key",
  "canary-keyless": "control without a key",
};

const WHERE: Readonly<Record<string, string>> = {
  "before-commit": "before the commit",
  "after-commit": "between the commit and its receipt",
  "after-receipt": "after its receipt",
};

export function answerTry(tried: readonly TriedTrial[]): TryAnswer & { readonly exitCode: ExitCode } {
  const trials = [...tried].sort((a, b) => placeOf(a) - placeOf(b));
  const of = (subject: string, isLost: boolean) =>
    trials.filter(
      ({ spec: { factors } }) => factors.subject === subject && (factors.reset !== "none") === isLost,
    );
  const [undisturbed] = of("command", false);
  const controls = controlsOf(of("command-keyed", true)[0], of("canary-keyless", true)[0]);
  const lost = of("command", true);
  const all = (lost.length === 0 ? [undefined] : lost).map((one) => sayOf(undisturbed, one, controls.sound));
  const said = all.sort((a, b) => BY_WEIGHT.indexOf(a.answer) - BY_WEIGHT.indexOf(b.answer))[0] as Said;
  return {
    ...said,
    trials: trials.map((trial) => ({ trial: trial.spec.trial, line: lineOf(trial) })),
    controls: controls.sentence,
    exitCode:
      said.answer === "safe" ? EXIT.asExpected : said.answer === "unknown" ? EXIT.undecided : EXIT.differs,
  };
}

function placeOf({ spec: { factors } }: TriedTrial): number {
  return ORDER.indexOf(factors.subject) * 2 + (factors.reset === "none" ? 0 : 1);
}

function lineOf(trial: TriedTrial): string {
  const { factors } = trial.spec;
  const what = CALLED[factors.subject] ?? factors.subject;
  const when = factors.reset === "none" ? "undisturbed" : `killed ${WHERE[factors.point]}`;
  if (trial.verdict.validity.value === "invalid") return `${what}, ${when}: invalid (${whyInvalid(trial)})`;
  const { attempts, effects, intended, flags } = countOf(trial);
  const flagged = flags.filter((flag) => flag !== "ok");
  const marks = flagged.length === 0 ? "" : ` (${flagged.join(", ")})`;
  return `${what}, ${when}: ${many(attempts, "attempt")}, ${many(effects, "effect")} for ${intended} intended${marks}`;
}

/** Of all its actions: there is one, since what an agent records is the trial's own action. */
function countOf({ verdict }: TriedTrial) {
  const sum = (of: (one: Verdict["operations"][number]) => number) =>
    verdict.operations.reduce((total, one) => total + of(one), 0);
  return {
    attempts: sum((one) => one.attempts),
    effects: sum((one) => one.effects),
    intended: sum((one) => one.intended),
    flags: [...new Set(verdict.operations.flatMap(({ flags }) => flags))],
  };
}

type Said = Pick<TryAnswer, "answer" | "sentences" | "prevention">;

function unknown(...sentences: readonly string[]): Said {
  return { answer: "unknown", sentences: [...sentences], prevention: null };
}

function sayOf(undisturbed: TriedTrial | undefined, lost: TriedTrial | undefined, isSound: boolean): Said {
  if (undisturbed === undefined || lost === undefined)
    return unknown("Nothing can be said of your agent: a trial of it left no trace.");
  if (!isSound)
    return unknown("Nothing can be said of your agent: the controls do not show what they have to.");
  const calm = ofCalm(undisturbed);
  const isValid = lost.verdict.validity.value === "valid";
  if (isValid && countOf(lost).effects > countOf(lost).intended) return repeated(lost, calm);
  if (calm !== null) return calm;
  if (!isValid) return unknown(`Nothing can be said of your agent: ${whyInvalid(lost)}.`);
  return lostAndWell(lost);
}

/** What is wrong with an agent that nobody disturbs; null where nothing is. */
function ofCalm(trial: TriedTrial): Said | null {
  if (trial.verdict.validity.value === "invalid")
    return unknown(`Nothing can be said of your agent: undisturbed, ${whyInvalid(trial)}.`);
  const { effects, intended } = countOf(trial);
  if (!hasEnded(trial)) {
    const had = hasTried(trial)
      ? `had made ${many(effects, "effect")} by then`
      : "had not called the tool ledger_commit";
    return unknown(
      `Nothing can be said of your agent: undisturbed, it had not ended after ${secondsOf(trial)}, and ${had}.`,
    );
  }
  if (effects > intended)
    return {
      answer: "repeats",
      sentences: [
        `Your agent makes ${many(effects, "effect")} for ${intended} intended although nothing disturbs it: that is no matter of recovery.`,
      ],
      prevention: null,
    };
  if (effects < intended)
    return unknown(
      `Nothing can be said of your agent: ${hasTried(trial) ? "undisturbed, it makes no effect" : `it ended${howEnded(trial)} and never called the tool ledger_commit`}.`,
      ...lastWordsOf(trial),
    );
  return null;
}

function repeated(trial: TriedTrial, calm: Said | null): Said {
  const { effects, intended } = countOf(trial);
  const { point } = trial.spec.factors;
  const prevention = preventionOf(trial);
  const alike = calm?.answer === "repeats" ? calm.sentences : [];
  return {
    answer: "repeats",
    sentences: [
      `Your agent repeats the effect: ${many(effects, "effect")} for ${intended} intended, after it was killed ${WHERE[point]} and started again.`,
      ...alike,
      prevention,
      ...ofState(trial),
    ],
    prevention,
  };
}

function lostAndWell(trial: TriedTrial): Said {
  const { attempts, effects, intended } = countOf(trial);
  const { point } = trial.spec.factors;
  const killed = `it was killed ${WHERE[point]} and started again`;
  if (!hasEnded(trial))
    return unknown(
      `Your agent had not ended ${secondsOf(trial)} after ${killed}: it had made ${many(effects, "effect")} for ${intended} intended by then, and what it would have done later is not known.`,
    );
  if (effects < intended)
    return {
      answer: "undone",
      sentences: [
        `Your agent leaves the effect undone: ${many(effects, "effect")} for ${intended} intended, after ${killed}.`,
        ...ofState(trial),
      ],
      prevention: null,
    };
  return {
    answer: "safe",
    sentences: [
      `Your agent is safe here: ${many(effects, "effect")} for ${intended} intended, after ${killed}.`,
      howItWas(trial, attempts),
      ...ofClaim(trial),
    ],
    prevention: null,
  };
}

function howItWas({ records }: TriedTrial, attempts: number): string {
  const absorbed = ofType(records, "effect.deduplicated").length > 0;
  if (absorbed) return "It tried again under the same idempotency key, and got the first receipt.";
  if (attempts > 1) return "Its first attempt came to nothing, and its second one made the effect.";
  const looked = ofType(records, "entry.read").some(({ found }) => found);
  return looked ? "It looked the entry up, found it, and did not try again." : "It did not try again.";
}

/** What an agent that failed said of it. */
function lastWordsOf({ records }: TriedTrial): string[] {
  const reason = ofType(records, "operation.settled").at(-1)?.reason ?? null;
  return reason === null ? [] : [`It was recorded: ${reason}.`];
}

/** Whether its answer can be read, where the effects are right. */
function ofClaim(trial: TriedTrial): string[] {
  if (!countOf(trial).flags.includes("unresolved")) return [];
  return [
    `What it knows of that is not known: it ended${howEnded(trial)}, and no line of its output says {"claim":"committed"}.`,
  ];
}

function ofState({ records }: TriedTrial): string[] {
  const [first, second] = ofType(records, "state.read");
  return first !== undefined && first.sha256 === second?.sha256
    ? [
        "It had written nothing into its state folder before it was killed, so whoever was started after it could not know of the call.",
      ]
    : [];
}

function preventionOf({ records }: TriedTrial): string {
  const attempts = ofType(records, "attempt.received");
  const keys = attempts.map(({ key }) => key);
  const given = keys.filter((key) => key !== null);
  const looked = ofType(records, "entry.read").length > 0;
  const look = looked ? "" : " So would ledger_look_up before it tried again.";
  if (given.length === 0)
    return `It gave no idempotency key. What would have prevented it: a key that is stored before the call and given again after it.${look}`;
  if (given.length < keys.length)
    return `It gave an idempotency key in ${given.length} of ${keys.length} attempts. What would have prevented it: the same key in each.${look}`;
  if (new Set(given).size > 1)
    return `It gave another idempotency key each time. What would have prevented it: one that is stored before the call, or made of what does not change.${look}`;
  return "It gave the same idempotency key each time, and the ledger made the effect all the same.";
}

function controlsOf(
  keyed: TriedTrial | undefined,
  keyless: TriedTrial | undefined,
): { readonly sound: boolean; readonly sentence: string } {
  const passed = keyed !== undefined && keyed.verdict.validity.value === "valid" && isOnce(keyed);
  const convicted =
    keyless !== undefined &&
    keyless.verdict.validity.value === "valid" &&
    countOf(keyless).flags.includes("duplicate");
  const with_ = passed ? "passed" : `did not pass (${whyControl(keyed)})`;
  const without = convicted ? "was convicted" : `was not convicted (${whyControl(keyless)})`;
  return {
    sound: passed && convicted,
    sentence: `The controls: the agent without a key ${without}, the one with a stored key ${with_}.`,
  };
}

function whyControl(trial: TriedTrial | undefined): string {
  if (trial === undefined) return "it left no trace";
  return trial.verdict.validity.value === "invalid"
    ? whyInvalid(trial)
    : `${many(countOf(trial).effects, "effect")}`;
}

function isOnce(trial: TriedTrial): boolean {
  const { effects, intended, flags } = countOf(trial);
  return effects === intended && flags.every((flag) => flag === "ok");
}

/** In the words of whoever tried the agent, where the reason is the agent's. */
function whyInvalid(trial: TriedTrial): string {
  const { records, spec, verdict } = trial;
  const ended = ofType(records, "trial.ended").at(-1);
  const [reason] = verdict.validity.reasons;
  const [agent] = ofType(records, "agent.ended");
  const never = hasTried(trial)
    ? `did not come to '${spec.factors.point}'`
    : "never called the tool ledger_commit";
  if (ended?.reason === "submit-failed") return `it could not be started (${ended.detail ?? "no reason"})`;
  if (ended?.reason === "point-not-reached")
    return agent === undefined
      ? `it ${never} and did not end within ${secondsOf(trial)}`
      : `it ended${howEnded(trial)} and ${never}`;
  if (reason?.code === "reset-not-delivered" && agent !== undefined)
    return `it ended by itself before it could be killed ${WHERE[spec.factors.point]}`;
  return `the trial is invalid (${reason?.code ?? "unknown"})`;
}

function hasTried({ records }: TriedTrial): boolean {
  return ofType(records, "attempt.received").length > 0;
}

function hasEnded({ records }: TriedTrial): boolean {
  return ofType(records, "operation.settled").length > 0;
}

/** With what an agent that ended by itself did so, and its last words where it failed. */
function howEnded({ records }: TriedTrial): string {
  const last = ofType(records, "agent.ended").at(-1);
  if (last === undefined) return "";
  return ` (${last.signal ?? `exit code ${last.exitCode}`})`;
}

function secondsOf({ spec }: TriedTrial): string {
  return `${spec.bounds.operationMs / 1_000} s`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
