/**
 * Holds: the configured places where a request waits. A hold is `armed`, then `reached` by one request, then released
 * to `proceed` or to `drop`, or `ended` with the trial. Released before it is reached, it is disarmed. Every step is
 * durable; only the waiting itself is in memory (src/connections.ts).
 *
 * What `occurrence` counts: attempts (`before-commit`, `after-commit`), model requests of purpose turn
 * (`model-request`, `model-stream`), and for `after-receipt` those of them that follow the first `receipt.sent`.
 */
import { Hold } from "../../src/trace/index.ts";
import type { Ledger } from "./ledger.ts";
import { firstRow } from "./tables.ts";

type HoldState = "armed" | "reached" | "proceed" | "drop" | "ended";
type HoldRow = { state: HoldState; attempt: number | null; call: number | null };

export function readHold(sql: SqlStorage, hold: Hold): HoldRow | undefined {
  return firstRow<HoldRow>(
    sql,
    "SELECT state, attempt, call FROM hold WHERE point = ? AND occurrence = ?",
    hold.point,
    hold.occurrence,
  );
}

export function isArmed(sql: SqlStorage, hold: Hold): boolean {
  return readHold(sql, hold)?.state === "armed";
}

/** Part of the transaction of whatever reached the hold. */
export function reachHold(
  { sql, journal }: Ledger,
  hold: Hold,
  by: { attempt: number | null; call: number | null },
): void {
  sql.exec(
    "UPDATE hold SET state = 'reached', attempt = ?, call = ? WHERE point = ? AND occurrence = ?",
    by.attempt,
    by.call,
    hold.point,
    hold.occurrence,
  );
  journal.append({ source: "ledger", type: "hold.reached", hold, ...by });
}

/** Part of the transaction of whatever lets the hold go. */
export function releaseHold(
  { sql, journal }: Ledger,
  hold: Hold,
  state: "proceed" | "drop" | "ended",
  why: "controller" | "trial-ended",
): void {
  sql.exec(
    "UPDATE hold SET state = ? WHERE point = ? AND occurrence = ?",
    state,
    hold.point,
    hold.occurrence,
  );
  journal.append({ source: "ledger", type: "hold.released", hold, why });
}

/** Holds that were reached and not released, in the order of their points' names and occurrences. */
export function heldNow(sql: SqlStorage): Hold[] {
  return sql
    .exec("SELECT point, occurrence FROM hold WHERE state = 'reached' ORDER BY point, occurrence")
    .toArray()
    .map((row) => Hold.parse(row));
}

/** Under which those who wait at the hold are found. */
export function nameOf(hold: Hold): string {
  return `${hold.point}/${hold.occurrence}`;
}
