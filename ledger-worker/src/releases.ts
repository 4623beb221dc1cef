/**
 * Letting holds go: one at a time as the controller asks, or all that are left when the trial ends. Everything that a
 * release causes is recorded in its own transaction; only then do the waiting callers learn of it.
 */

import { Refusal } from "../../src/link/admission.ts";
import type { Hold } from "../../src/trace/index.ts";
import type {
  AttemptResponse,
  EndRequest,
  ReleaseRequest,
} from "../../src/trace/protocol/ledger-protocol.ts";
import { commitAttempt, endReceipt, isWithheld, loseReceipt, rejectAttempt } from "./attempts.ts";
import type { Outcome } from "./connections.ts";
import { heldNow, nameOf, readHold, releaseHold } from "./holds.ts";
import type { Ledger } from "./ledger.ts";
import { markEnded, openAttempts, trialEnded, verifyStarted } from "./trial.ts";

type How = ReleaseRequest["how"];

/** Releases a hold. The same release again changes nothing; the other one is refused. */
export function release(ledger: Ledger, { hold, how }: ReleaseRequest): void {
  const settle = ledger.transact(() => {
    verifyStarted(ledger);
    const row = readHold(ledger.sql, hold);
    if (row === undefined)
      throw new Refusal("hold-unknown", `The trial has no hold ${nameOf(hold)}; it was not configured.`);
    if (row.state === how) return undefined;
    if (row.state !== "armed" && row.state !== "reached")
      throw new Refusal("hold-released", `The hold ${nameOf(hold)} was released to ${row.state} before.`);
    releaseHold(ledger, hold, how, "controller");
    if (row.state === "armed") return undefined;
    return row.attempt === null
      ? () => settleModel(ledger, hold, how)
      : settleAttempt(ledger, hold, row.attempt, how);
  });
  settle?.();
}

/** Closes the journal: lets everything go that is held, then records the end. */
export function endTrial(ledger: Ledger, { source, reason, detail }: EndRequest): void {
  ledger.transact(() => {
    verifyStarted(ledger);
    const { sql, journal } = ledger;
    for (const hold of heldNow(sql)) {
      const attempt = readHold(sql, hold)?.attempt ?? null;
      releaseHold(ledger, hold, "ended", "trial-ended");
      if (attempt !== null && isWithheld(sql, attempt))
        loseReceipt(ledger, attempt, "still withheld when the trial ended");
    }
    sql.exec("UPDATE hold SET state = 'ended' WHERE state = 'armed'");
    journal.append({ source, type: "trial.ended", reason, detail, openAttempts: openAttempts(sql) });
    markEnded(ledger, reason);
  });
  ledger.attemptCallers.settleAll({ error: trialEnded() });
  ledger.modelCallers.settleAll({ error: trialEnded() });
}

/** Records what the release does to the held attempt; returns how its caller is told, if there is news for it. */
function settleAttempt(ledger: Ledger, hold: Hold, attempt: number, how: How): (() => void) | undefined {
  const name = String(attempt);
  const tell = (outcome: Outcome<AttemptResponse>) => () => ledger.attemptCallers.settle(name, outcome);

  if (hold.point === "before-commit" && how === "drop") {
    rejectAttempt(ledger, attempt);
    return tell({
      error: new Refusal("attempt-rejected", "The attempt was rejected before the commit; it has no effect."),
    });
  }
  if (hold.point === "before-commit") {
    commitAttempt(ledger, attempt);
    // The same attempt may be held a second time, now with its receipt.
    if (isWithheld(ledger.sql, attempt) && ledger.attemptCallers.has(name)) return undefined;
    return tell({ answer: endReceipt(ledger, attempt, ledger.attemptCallers.has(name)) });
  }

  // The caller was seen to go: its receipt has been recorded as undeliverable already.
  if (!isWithheld(ledger.sql, attempt)) return undefined;
  if (how === "drop") {
    loseReceipt(ledger, attempt, "the withheld receipt was dropped");
    return tell({
      error: new Refusal(
        "receipt-undeliverable",
        "The receipt of this attempt was withheld and then dropped.",
      ),
    });
  }
  ledger.journal.append({ source: "ledger", type: "receipt.released", attempt });
  return tell({ answer: endReceipt(ledger, attempt, ledger.attemptCallers.has(name)) });
}

function settleModel(ledger: Ledger, hold: Hold, how: How): void {
  ledger.modelCallers.settle(
    nameOf(hold),
    how === "proceed"
      ? { answer: null }
      : { error: new Refusal("hold-dropped", `The request held at ${nameOf(hold)} was dropped.`) },
  );
}
