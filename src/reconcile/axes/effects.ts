/**
 * Effects against intentions, per action. Effects are counted from `effect.committed` alone: neither the session log
 * nor the operation's own result is believed; the result is a claim that is compared with the ledger.
 */
import { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import { Action, Count } from "../../trace/ids.ts";
import type { AttemptStory, CaseFile } from "../case-file.ts";
import { isAnswered } from "../case-file.ts";
import { conflictsOf, contradictedAnswer } from "../claims.ts";
import { Evidence, seqsOf } from "../finding.ts";
import { type Axis, agreed, type Counter, counted, wordLines } from "./axis.ts";
import { words } from "./words.ts";

/** `conflict`: one key was used for different payloads, or one effect answered for different keys. */
const Flag = words({
  ok: "None too many, and a definite answer that the ledger bears out.",
  duplicate: "More effects than intended.",
  lost: "The agent claims an effect that was never committed.",
  conflict: "One key was used for different payloads, or one effect answered for different keys.",
  unresolved: "An attempt is still open, or the agent gives no definite answer, or contradicts itself.",
  unknown: "The evidence does not decide it.",
});
type Flag = z.infer<typeof Flag>;

/** One per intended action, in the scenario's order, then actions that nobody intended. */
const schema = z.array(
  z.strictObject({
    action: Action,
    intended: Count,
    attempts: Count,
    effects: Count,
    flags: z.array(Flag),
    evidence: Evidence,
  }),
);
type EffectsAnswer = z.infer<typeof schema>;

/** What it rests on: whether the ledger's own records agree, so that a count can be flagged at all. */
type Judged = { readonly ledgerAgrees: boolean };

export const effects = {
  // The format's first version calls the list of intended actions so.
  name: "operations",
  asks: "How many effects were there, for each intended action, and what is to be said of that?",
  schema,
  codes: {},
  /** Counts as far as they could be read, flagged `unknown`. */
  undecided: (_, { records, spec }) =>
    (spec?.intended ?? []).map(({ action, effects: intended }) => ({
      action,
      intended,
      attempts: records.filter((r) => r.type === "attempt.received" && r.action === action).length,
      effects: records.filter((r) => r.type === "effect.committed" && r.action === action).length,
      flags: ["unknown"],
      evidence: [],
    })),
  judge: judgeEffects,
  said: (answer) =>
    answer.map(({ action, attempts, effects: made, intended, flags, evidence }) => ({
      words: `${made} of ${intended} intended (${action}), ${attempts} attempts: ${flags.join(", ")}`,
      code: null,
      evidence,
    })),
  expected: {
    attempts: { schema: Count, words: (answer) => [String(sum(answer, (one) => one.attempts))] },
    effects: { schema: Count, words: (answer) => [String(sum(answer, (one) => one.effects))] },
    flags: { schema: z.array(Flag).min(1), words: flagsOf },
  },
  columns: [
    column("att.", (answer) => String(sum(answer, (one) => one.attempts))),
    column("effects", shareOf),
    column("flags", (answer) => wordLines(flagsOf(answer))),
  ],
  counted: {
    /** Valid trials whose effects the evidence does not decide: they enter no rate of effects. */
    undecided: counted({
      schema: Count,
      of: (count: Counter<EffectsAnswer>) => count.sum((answer) => (isDecided(answer) ? 0 : 1)),
    }),
    /** Third answer: how many effects, compared with how many were intended? */
    effects: counted({
      schema: z.strictObject({
        /** Trials by effects, intended effects and flags, e.g. `2/1 duplicate`. */
        values: Tally,
        intended: Count,
        attempts: Count,
        effects: Count,
        /** Effects beyond the intended ones. */
        surplus: Count,
        duplicates: Rate,
        lost: Rate,
        unresolved: Rate,
      }),
      of: (count: Counter<EffectsAnswer>) => ({
        values: count.tally(
          (answer) => `${shareOf(answer)} ${[...new Set(flagsOf(answer))].sort().join("+")}`,
        ),
        intended: count.sum((answer) => sum(answer, (one) => one.intended)),
        attempts: count.sum((answer) => sum(answer, (one) => one.attempts)),
        effects: count.sum((answer) => sum(answer, (one) => one.effects)),
        surplus: count.sum((answer) => sum(answer, (one) => Math.max(0, one.effects - one.intended))),
        duplicates: count.rate((answer) => flagsOf(answer).includes("duplicate"), isDecided),
        lost: count.rate((answer) => flagsOf(answer).includes("lost"), isDecided),
        unresolved: count.rate((answer) => flagsOf(answer).includes("unresolved"), isDecided),
      }),
      asked: { question: "effects/intended", answers: ({ values }) => values, usual: null },
      rates: {
        duplicates: ({ duplicates }) => duplicates,
        lost: ({ lost }) => lost,
        unresolved: ({ unresolved }) => unresolved,
      },
      figures: [
        { title: "attempts", of: ({ attempts }) => String(attempts) },
        { title: "effects/\nintended", of: ({ effects: count, intended }) => `${count}/${intended}` },
        { title: "duplicates", of: ({ duplicates }) => duplicates },
        { title: "lost", of: ({ lost }) => lost },
        { title: "unresolved", of: ({ unresolved }) => unresolved },
      ],
    }),
  },
} as const satisfies Axis<EffectsAnswer>;

function judgeEffects(file: CaseFile, { ledgerAgrees }: Judged): EffectsAnswer {
  const intended = new Map(file.spec.intended.map(({ action, effects }) => [action, effects]));
  for (const { received } of file.attempts)
    if (!intended.has(received.action)) intended.set(received.action, 0);
  return [...intended].map(([action, wanted]) => {
    const attempts = file.attempts.filter(({ received }) => received.action === action);
    const committed = file.of("effect.committed").filter((record) => record.action === action);
    return {
      action,
      intended: wanted,
      attempts: attempts.length,
      effects: committed.length,
      flags: ledgerAgrees ? flag(file, wanted, attempts, committed.length) : ["unknown"],
      evidence: seqsOf(
        attempts.map(({ received }) => received),
        committed,
        attempts.flatMap(({ rejected, deduplicated }) => rejected ?? deduplicated ?? []),
        file.settled,
        file.ended,
      ),
    };
  });
}

function flag(file: CaseFile, intended: number, attempts: AttemptStory[], committed: number): Flag[] {
  const flags: Flag[] = [];
  const open = attempts.some((attempt) => attempt.open);
  if (committed > intended) flags.push("duplicate");
  if (conflictsOf(attempts).length > 0) flags.push("conflict");
  // In a trial that stopped early the outcome may only not have come yet. Too many effects stay too many.
  if (file.stopped) return flags.length > 0 ? flags : ["unknown"];
  // Nobody intended it, so nobody answers for it: only its effects and its end count.
  if (intended === 0) return open ? [...flags, "unresolved"] : flags.length > 0 ? flags : ["ok"];
  const claim =
    isAnswered(file.settled) && file.settled.status === "done" ? file.settled.claim.claim : "none";
  if (claim === "committed" && committed < intended && !open) flags.push("lost");
  const definite = claim === "committed" || (claim === "not-committed" && committed === 0);
  if (open || !definite || contradictedAnswer(file) !== null) flags.push("unresolved");
  return flags.length > 0 ? flags : ["ok"];
}

function column(title: string, text: (answer: EffectsAnswer) => string) {
  const cell = (answers: readonly EffectsAnswer[]) => agreed(answers.map(text));
  return { title, kind: "words", cell } as const;
}

/** Effects of all actions against what was intended, e.g. `2/1`. */
function shareOf(answer: EffectsAnswer): string {
  return `${sum(answer, (one) => one.effects)}/${sum(answer, (one) => one.intended)}`;
}

function flagsOf(answer: EffectsAnswer): Flag[] {
  return answer.flatMap(({ flags }) => flags);
}

function isDecided(answer: EffectsAnswer): boolean {
  return !flagsOf(answer).includes("unknown");
}

function sum(answer: EffectsAnswer, value: (one: EffectsAnswer[number]) => number): number {
  return answer.reduce((total, one) => total + value(one), 0);
}
