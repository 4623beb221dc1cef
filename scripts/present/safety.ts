/**
 * "Is my tool safe?": of a run of a user's own Worker, the smallest condition that breaks it and what would have prevented
 * that. Pure; laid out as text by `own-answer.ts`, and as a page by the report.
 */
import { INVARIANTS, isInvariant } from "../../src/reconcile/invariants.ts";
import type { SafetyPart } from "../../src/report/report-model.ts";
import { caveatOf } from "../../src/summarize/caveat.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { howMany } from "./numbers.ts";

/** Resets by how little they take. */
const SIZE = ["none", "abort", "evict", "kill", "restart", "redeploy", "redeploy-within"];

const sizeOf = ({ spec }: JudgedTrial): number =>
  spec === null ? Number.POSITIVE_INFINITY : SIZE.indexOf(spec.factors.reset) * 100 + spec.factors.resets;

const isLost = ({ spec }: JudgedTrial): boolean => spec !== null && spec.factors.reset !== "none";
const flagged = (flag: "duplicate" | "lost") => (trial: JudgedTrial) =>
  trial.verdict.operations.some(({ flags }) => flags.includes(flag));

/** Null for a run of the kit's own subjects. */
export function safetyOf(run: JudgedRun): SafetyPart | null {
  const trials = run.trials.filter(({ environment }) => environment?.own !== undefined);
  const own = trials[0]?.environment?.own;
  if (own === undefined) return null;
  const subject = `${own.class} (${own.worker})`;
  const valid = trials.filter(({ verdict }) => verdict.validity.value === "valid");
  return {
    subject,
    question: `Is the tool of ${subject} safe?`,
    ...answerOf(trials, valid),
    actions: actionsOf(valid),
    required: requiredOf(valid),
    notProven: notProvenOf(run, valid),
  };
}

type Answer = Pick<SafetyPart, "answer" | "sentence" | "smallest" | "prevention">;

function answerOf(trials: readonly JudgedTrial[], valid: readonly JudgedTrial[]): Answer {
  const broken = (which: (trial: JudgedTrial) => boolean) =>
    valid.filter(which).sort((a, b) => sizeOf(a) - sizeOf(b));
  const nothing = { smallest: null, prevention: [] as string[] };
  const [duplicates, losses] = [broken(flagged("duplicate")), broken(flagged("lost"))];
  const others = broken(({ requirement }) => requirement?.matches === false);
  const [smallest] = [...duplicates, ...losses, ...others];
  if (smallest?.spec != null) {
    const { condition, trial } = smallest.spec;
    const found = { answer: "broken", smallest: { condition, trial } } as const;
    const prevention = smallest.prevention.map(({ sentence }) => sentence);
    if (duplicates.length > 0)
      return {
        ...found,
        sentence: `No. The smallest condition that breaks it: ${condition} (${duplicates.length} of ${valid.length} valid trials made too many effects).`,
        prevention,
      };
    if (losses.length > 0)
      return {
        ...found,
        sentence: `No. It says that work is done which was never done: ${condition} (${losses.length} of ${valid.length} valid trials).`,
        prevention,
      };
    const [first] = smallest.requirement?.differences ?? [];
    return {
      ...found,
      sentence: `Its effects are as intended, and something else that was required is not: ${condition}: ${first?.axis}, found ${first?.actual}.`,
      prevention,
    };
  }
  if (valid.length < trials.length || valid.length === 0)
    return {
      ...nothing,
      answer: "unknown",
      sentence: `Not known: ${trials.length - valid.length} of ${trials.length} trials are not valid.`,
    };
  const lost = valid.filter(isLost).length;
  if (lost === 0)
    return { ...nothing, answer: "unknown", sentence: "Not known: nothing was lost in any trial." };
  return {
    ...nothing,
    answer: "kept",
    sentence: `None of ${lost} trials with a loss made an effect too many, or none at all that was claimed. That holds for these conditions on this machine.`,
  };
}

function actionsOf(valid: readonly JudgedTrial[]): SafetyPart["actions"] {
  const operations = valid.flatMap(({ verdict }) => verdict.operations);
  return [...Map.groupBy(operations, ({ action }) => action)].map(([action, those]) => {
    const count = (flag: (typeof those)[number]["flags"][number]) =>
      those.filter(({ flags }) => flags.includes(flag)).length;
    return {
      action,
      valid: those.length,
      duplicate: count("duplicate"),
      lost: count("lost"),
      unresolved: count("unresolved"),
    };
  });
}

function requiredOf(valid: readonly JudgedTrial[]): SafetyPart["required"] {
  const judged = valid.filter(({ requirement }) => requirement !== null);
  const names = [...new Set(judged.flatMap(({ spec }) => spec?.require ?? []))];
  return names.map((invariant) => {
    const broken = judged.filter(({ requirement }) =>
      requirement?.differences.some(({ axis }) => axis === `required ${invariant}`),
    ).length;
    const title = isInvariant(invariant) ? INVARIANTS[invariant].title : "this kit does not know it";
    return { invariant, title, held: judged.length - broken, broken };
  });
}

function notProvenOf(run: JudgedRun, valid: readonly JudgedTrial[]): string[] {
  const specs = valid.flatMap(({ spec }) => spec ?? []);
  const points = [
    ...new Set(specs.flatMap(({ factors }) => (factors.reset === "none" ? [] : factors.point))),
  ];
  const repeats = Math.max(
    0,
    ...[...Map.groupBy(specs, ({ condition }) => condition).values()].map(({ length }) => length),
  );
  const caveat = caveatOf(run.host, run.trials);
  return [
    `How often: ${howMany(repeats, "trial")} of a condition at most ${repeats === 1 ? "shows" : "show"} what can happen.`,
    points.length === 0
      ? "Any loss: none was tried."
      : `Losses elsewhere: the host was lost at ${points.join(", ")}, and nowhere else.`,
    "Other agents and models: the model's answers came from a script, or none was asked.",
    "The real destination: its receipts and its uniqueness are as the configuration says.",
    ...(run.trials.some(({ spec }) => spec?.canary === true)
      ? []
      : ["The judge, by this run: no canary was among its trials."]),
    ...(caveat === null ? [] : [`More than its host is worth: ${caveat}.`]),
  ];
}
