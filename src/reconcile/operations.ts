/**
 * Effects against intentions, per action. Effects are counted from `effect.committed` alone: neither the session log
 * nor the operation's own result is believed; the result is a claim that is compared with the ledger.
 */
import type { Verdict } from "../trace/verdict.ts";
import type { AttemptStory, CaseFile } from "./case-file.ts";
import { isAnswered } from "./case-file.ts";
import { seqsOf } from "./finding.ts";

type Flag = Verdict["operations"][number]["flags"][number];

/** `booksAgree: false` means that the ledger's own records contradict each other, so that no count can be flagged. */
export function judgeOperations(file: CaseFile, booksAgree: boolean): Verdict["operations"] {
  const intended = new Map(file.spec.intended.map(({ action, effects }) => [action, effects]));
  for (const { received } of file.attempts)
    if (!intended.has(received.action)) intended.set(received.action, 0);
  return [...intended].map(([action, effects]) => {
    const attempts = file.attempts.filter(({ received }) => received.action === action);
    const committed = file.of("effect.committed").filter((record) => record.action === action);
    return {
      action,
      intended: effects,
      attempts: attempts.length,
      effects: committed.length,
      flags: booksAgree ? flagsOf(file, effects, attempts, committed.length) : ["unknown"],
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

function flagsOf(file: CaseFile, intended: number, attempts: AttemptStory[], effects: number): Flag[] {
  const flags: Flag[] = [];
  const open = attempts.some((attempt) => attempt.open);
  if (effects > intended) flags.push("duplicate");
  // In a trial that stopped early the outcome may only not have come yet. Too many effects stay too many.
  if (file.stopped) return flags.length > 0 ? flags : ["unknown"];
  // Nobody intended it, so nobody answers for it: only its effects and its end count.
  if (intended === 0) return open ? [...flags, "unresolved"] : flags.length > 0 ? flags : ["ok"];
  const claim =
    isAnswered(file.settled) && file.settled.status === "done" ? file.settled.claim.claim : "none";
  if (claim === "committed" && effects < intended && !open) flags.push("lost");
  const definite = claim === "committed" || (claim === "not-committed" && effects === 0);
  if (open || !definite) flags.push("unresolved");
  return flags.length > 0 ? flags : ["ok"];
}
