/**
 * Attempts: what the tool asks of the destination. An attempt is received, then committed, deduplicated or rejected;
 * its receipt is sent, or withheld first, or undeliverable. Each step and its record are one transaction, and each
 * step is taken by whoever causes it: a held attempt commits in the request that releases it, whether its caller still
 * waits or not.
 */
import { createHash } from "node:crypto";
import { ActionKey, type Hold } from "../../src/trace/index.ts";
import type { AttemptRequest, AttemptResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import { ACT_AT } from "./effects.ts";
import { isArmed, reachHold, readHold } from "./holds.ts";
import type { Ledger } from "./ledger.ts";
import { countOf, firstRow } from "./tables.ts";
import { readConfig, readTrial, verifyStarted } from "./trial.ts";

type AttemptRow = {
  action: string;
  key_json: string;
  stage: "received" | "committed" | "deduplicated" | "rejected";
  receipt: "none" | "withheld" | "sent" | "undeliverable";
  caller_gone: number;
};
type EffectRow = { effect: string; receipt: string };

/** Takes an attempt through to its receipt, and waits wherever it is held. */
export async function makeAttempt(
  ledger: Ledger,
  request: AttemptRequest,
  signal: AbortSignal,
): Promise<AttemptResponse> {
  const attempt = receive(ledger, request);
  const response = advance(ledger, attempt, signal);
  if (response !== undefined) return response;
  return ledger.attemptCallers.wait(String(attempt), signal, () => noticeGone(ledger, attempt));
}

/** Records that the attempt arrived, and that it is held before the commit if it is. */
function receive(ledger: Ledger, request: AttemptRequest): number {
  return ledger.transact(() => {
    verifyStarted(ledger);
    const attempt = countOf(ledger.sql, "SELECT count(*) AS n FROM attempt") + 1;
    ledger.sql.exec(
      `INSERT INTO attempt (attempt, action, key_json, stage, receipt, caller_gone)
       VALUES (?, ?, ?, 'received', 'none', 0)`,
      attempt,
      request.action,
      JSON.stringify(request.key),
    );
    const { payload, action, key, ...caller } = request;
    const payloadSha256 = createHash("sha256").update(payload, "utf8").digest("hex");
    ledger.journal.append({
      source: "ledger",
      type: "attempt.received",
      attempt,
      action,
      key,
      payloadSha256,
      ...caller,
    });
    const hold: Hold = { point: "before-commit", occurrence: attempt };
    if (isArmed(ledger.sql, hold)) reachHold(ledger, hold, { attempt, call: null });
    return attempt;
  });
}

/** Commits an attempt that is not held, and sends its receipt unless that is. Undefined when it has to wait. */
function advance(ledger: Ledger, attempt: number, signal: AbortSignal): AttemptResponse | undefined {
  return ledger.transact(() => {
    if (readHold(ledger.sql, { point: "before-commit", occurrence: attempt })?.state === "reached")
      return undefined;
    commitAttempt(ledger, attempt);
    if (readAttempt(ledger.sql, attempt).receipt === "withheld") return undefined;
    if (signal.aborted) markGone(ledger.sql, attempt);
    return endReceipt(ledger, attempt, !signal.aborted);
  });
}

/**
 * Brings the attempt to an effect, as the destination has it, and withholds its receipt if that is held. Part of the
 * transaction of whoever lets the attempt commit.
 */
export function commitAttempt(ledger: Ledger, attempt: number): void {
  const { sql, journal } = ledger;
  const { action, key_json } = readAttempt(sql, attempt);
  const key = ActionKey.nullable().parse(JSON.parse(key_json));
  const { destination } = readConfig(ledger);
  const { stage, effect } = ACT_AT[destination](ledger, { attempt, action, key });
  sql.exec("UPDATE attempt SET stage = ?, effect = ? WHERE attempt = ?", stage, effect, attempt);

  const hold: Hold = { point: "after-commit", occurrence: attempt };
  if (!isArmed(sql, hold)) return;
  setReceipt(sql, attempt, "withheld");
  journal.append({ source: "ledger", type: "receipt.withheld", attempt, effect });
  reachHold(ledger, hold, { attempt, call: null });
}

/** The ledger makes no effect for this attempt, and never will. Part of the releasing transaction. */
export function rejectAttempt({ sql, journal }: Ledger, attempt: number): void {
  sql.exec("UPDATE attempt SET stage = 'rejected' WHERE attempt = ?", attempt);
  journal.append({ source: "ledger", type: "attempt.rejected", attempt, reason: "closed-before-commit" });
}

/**
 * The end of a committed attempt: its receipt goes to the caller, or to nobody. Recorded immediately before the
 * response is returned; nothing is awaited in between.
 */
export function endReceipt(ledger: Ledger, attempt: number, callerWaits: boolean): AttemptResponse {
  const response = readResponse(ledger.sql, attempt);
  if (callerWaits) {
    setReceipt(ledger.sql, attempt, "sent");
    const { effect, receipt } = response;
    ledger.journal.append({ source: "ledger", type: "receipt.sent", attempt, effect, receipt });
  } else {
    const gone = readAttempt(ledger.sql, attempt).caller_gone === 1;
    loseReceipt(ledger, attempt, gone ? CALLER_GONE : "the connection was lost when the ledger restarted");
  }
  return response;
}

/** Records once that nobody will get this receipt. */
export function loseReceipt({ sql, journal }: Ledger, attempt: number, detail: string): void {
  setReceipt(sql, attempt, "undeliverable");
  journal.append({ source: "ledger", type: "receipt.undeliverable", attempt, detail });
}

export function isWithheld(sql: SqlStorage, attempt: number): boolean {
  return readAttempt(sql, attempt).receipt === "withheld";
}

const CALLER_GONE = "the caller closed the connection";

/** The caller was seen to disconnect. Only a withheld receipt is lost by that; an attempt that was received stays. */
function noticeGone(ledger: Ledger, attempt: number): void {
  ledger.transact(() => {
    if (readTrial(ledger).ended !== null) return;
    markGone(ledger.sql, attempt);
    if (isWithheld(ledger.sql, attempt)) loseReceipt(ledger, attempt, CALLER_GONE);
  });
}

function markGone(sql: SqlStorage, attempt: number): void {
  sql.exec("UPDATE attempt SET caller_gone = 1 WHERE attempt = ?", attempt);
}

function setReceipt(sql: SqlStorage, attempt: number, receipt: AttemptRow["receipt"]): void {
  sql.exec("UPDATE attempt SET receipt = ? WHERE attempt = ?", receipt, attempt);
}

function readAttempt(sql: SqlStorage, attempt: number): AttemptRow {
  const row = firstRow<AttemptRow>(
    sql,
    "SELECT action, key_json, stage, receipt, caller_gone FROM attempt WHERE attempt = ?",
    attempt,
  );
  if (row === undefined) throw new Error(`attempt ${attempt} is missing`);
  return row;
}

function readResponse(sql: SqlStorage, attempt: number): AttemptResponse {
  const row = firstRow<EffectRow & { stage: string }>(
    sql,
    `SELECT attempt.stage, effect.effect, effect.receipt FROM attempt
     JOIN effect ON effect.effect = attempt.effect WHERE attempt.attempt = ?`,
    attempt,
  );
  if (row === undefined) throw new Error(`attempt ${attempt} has no effect`);
  return { attempt, effect: row.effect, receipt: row.receipt, deduplicated: row.stage === "deduplicated" };
}
