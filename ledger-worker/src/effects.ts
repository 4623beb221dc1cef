/**
 * What an accepted attempt comes to at each destination: one entry for each row of `DESTINATIONS`. An entry is part of
 * the transaction of whoever lets the attempt commit, and records what it did.
 *
 * Leaves to others: the attempt's own state, and its receipt's way to the caller (`attempts.ts`).
 */
import { randomUUID } from "node:crypto";
import type { Destination } from "../../src/trace/destinations.ts";
import type { Ledger } from "./ledger.ts";
import { comparable, countOf, firstRow } from "./tables.ts";

/** An attempt that may act now. */
type AcceptedAttempt = { readonly attempt: number; readonly action: string; readonly key: string | null };

/** The effect that answers the attempt: its own, or an earlier one. */
type Answered = { readonly stage: "committed" | "deduplicated"; readonly effect: string };

export const ACT_AT: Readonly<Record<Destination, (ledger: Ledger, accepted: AcceptedAttempt) => Answered>> =
  {
    append: (ledger, accepted) => commitEffect(ledger, accepted, false),
    unique: (ledger, accepted) => earlierEffect(ledger, accepted) ?? commitEffect(ledger, accepted, true),
    keyed: (ledger, accepted) =>
      accepted.key === null
        ? commitEffect(ledger, accepted, false)
        : (earlierEffect(ledger, accepted) ?? commitEffect(ledger, accepted, true)),
  };

/** What uniqueness is about: (action, key). An attempt without a key has its action as key. */
function scopeOf({ action, key }: AcceptedAttempt): string {
  return comparable(action, key ?? action);
}

/** Makes the effect. `only`: the table refuses another one of the same scope. */
function commitEffect({ sql, journal }: Ledger, accepted: AcceptedAttempt, only: boolean): Answered {
  const { attempt, action, key } = accepted;
  const scope = scopeOf(accepted);
  const effect = `e${countOf(sql, "SELECT count(*) AS n FROM effect") + 1}`;
  const receipt = `r${attempt}-${randomUUID()}`;
  sql.exec(
    "INSERT INTO effect (effect, attempt, action, scope, receipt, unique_scope) VALUES (?, ?, ?, ?, ?, ?)",
    effect,
    attempt,
    action,
    scope,
    receipt,
    only ? scope : null,
  );
  journal.append({ source: "ledger", type: "effect.committed", effect, attempt, action, key, receipt });
  return { stage: "committed", effect };
}

/** The effect that stands in the way of another one of the same scope, if there is one. */
function earlierEffect({ sql, journal }: Ledger, accepted: AcceptedAttempt): Answered | null {
  const earlier = firstRow<{ effect: string; receipt: string }>(
    sql,
    "SELECT effect, receipt FROM effect WHERE unique_scope = ?",
    scopeOf(accepted),
  );
  if (earlier === undefined) return null;
  journal.append({ source: "ledger", type: "effect.deduplicated", attempt: accepted.attempt, ...earlier });
  return { stage: "deduplicated", effect: earlier.effect };
}
