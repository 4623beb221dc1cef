/**
 * What may be required of any trial, whatever its condition: for conditions of which nobody said what to expect. Each
 * invariant reads answers that a verdict gives; none merges them.
 */
import type { Difference, ExpectationMatch } from "./expectation.ts";
import type { Verdict } from "./verdict.ts";

type Invariant = {
  readonly title: string;
  /** What the verdict says that breaks it; null when nothing does. */
  readonly broken: (verdict: Verdict) => string | null;
};

type Flag = Verdict["operations"][number]["flags"][number];

export const INVARIANTS = {
  "no-duplicate": withoutFlag("duplicate", "no more effects than intended"),
  "no-loss": withoutFlag("lost", "no effect that is claimed and missing"),
  "no-missing": {
    title: "no fewer effects than intended",
    broken: ({ operations }) =>
      listed(
        operations.flatMap(({ action, effects, intended }) =>
          effects < intended ? [`missing: ${effects} of ${intended} intended (${action})`] : [],
        ),
      ),
  },
  "no-conflict": withoutFlag("conflict", "no key with two payloads"),
  "no-unresolved": withoutFlag("unresolved", "no outcome that stays open"),
  "no-repeat": {
    title: "no attempt beyond the intended ones",
    broken: ({ repeats }) => listed(repeats.map(({ cause }) => cause)),
  },
  restored: one("the session is there again, whole", ({ session }) => session.value, ["restored"]),
  resumed: one("the execution went on by itself", ({ execution }) => execution.value, [
    "resumed",
    "not-interrupted",
  ]),
  completed: one(
    "somebody completed the operation",
    ({ executor }) => (executor.value === "none" ? `nobody: ${executor.code}` : executor.value),
    ["same", "replacement-with-state", "replacement-without-state"],
  ),
  "wakes-by-itself": one("the object came back before any client", ({ autonomous }) => autonomous.value, [
    "yes",
    "not-applicable",
  ]),
  "not-stuck": one("no work is owed that nothing will do", ({ stuck }) => stuck.value, ["no"]),
  "later-work-admitted": one("the session answers new work", ({ rebinding }) => rebinding.newWork, [
    "admitted",
    "untested",
  ]),
  "calls-recorded": {
    title: "the session's own record of each call agrees with the ledger",
    broken: ({ callMismatches }) => listed(callMismatches.map(({ call, recorded }) => `${call} ${recorded}`)),
  },
} as const satisfies Readonly<Record<string, Invariant>>;

export type InvariantName = keyof typeof INVARIANTS;

export function isInvariant(name: string): name is InvariantName {
  return Object.hasOwn(INVARIANTS, name);
}

/** What of the required invariants the verdict breaks, as differences from an expectation. */
export function matchRequired(verdict: Verdict, required: readonly string[]): ExpectationMatch {
  const differences = required.flatMap((name): Difference[] => {
    // Of a newer kit's trace. What nobody looked at is not kept.
    if (!isInvariant(name))
      return [
        { axis: `required ${name}`, expected: "an invariant that this kit knows", actual: "not judged" },
      ];
    const invariant: Invariant = INVARIANTS[name];
    const actual = invariant.broken(verdict);
    return actual === null ? [] : [{ axis: `required ${name}`, expected: invariant.title, actual }];
  });
  return { matches: differences.length === 0, differences };
}

function withoutFlag(flag: Flag, title: string): Invariant {
  return {
    title,
    broken: ({ operations }) =>
      listed(
        operations.flatMap(({ action, effects, intended, flags }) =>
          flags.includes(flag) ? [`${flag}: ${effects} of ${intended} intended (${action})`] : [],
        ),
      ),
  };
}

function one(title: string, word: (verdict: Verdict) => string, allowed: readonly string[]): Invariant {
  return { title, broken: (verdict) => (allowed.includes(word(verdict)) ? null : word(verdict)) };
}

function listed(words: readonly string[]): string | null {
  return words.length === 0 ? null : [...new Set(words)].join(", ");
}
