/**
 * Model calls: the ledger numbers and records the scripted model's requests and holds them where the trial says.
 * Leaves what the model answers to the controller.
 */

import { Refusal } from "../../src/link/admission.ts";
import type { Hold } from "../../src/trace/index.ts";
import type { ModelCallRequest, ModelCallResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import { isArmed, nameOf, reachHold, readHold } from "./holds.ts";
import type { Ledger } from "./ledger.ts";
import { countOf, firstRow } from "./tables.ts";
import { readConfig, verifyStarted } from "./trial.ts";

export async function requestModel(
  ledger: Ledger,
  request: ModelCallRequest,
  signal: AbortSignal,
): Promise<ModelCallResponse> {
  const { call, ordinal, held } = ledger.transact(() => {
    verifyStarted(ledger);
    const { sql, journal } = ledger;
    const call = countOf(sql, "SELECT count(*) AS n FROM model_call") + 1;
    const ordinal =
      countOf(sql, "SELECT count(*) AS n FROM model_call WHERE purpose = ?", request.purpose) + 1;
    const { purpose, ...seen } = request;
    const seq = journal.append({
      source: "ledger",
      type: "model.requested",
      call,
      purpose,
      ordinal,
      ...seen,
    });
    sql.exec(
      "INSERT INTO model_call (call, seq, purpose, ordinal) VALUES (?, ?, ?, ?)",
      call,
      seq,
      purpose,
      ordinal,
    );
    const held = purpose === "turn" ? holdsOn(ledger, ordinal) : [];
    for (const hold of held) reachHold(ledger, hold, { attempt: null, call });
    return { call, ordinal, held };
  });
  // All waits begin at once: a release must find the second hold waiting while the first is not yet released.
  await Promise.all(held.map((hold) => waitAt(ledger, hold, signal)));
  const { policy, key, intended, model, script } = readConfig(ledger);
  return {
    ...{ call, ordinal, policy, key, intended },
    ...(model === undefined ? {} : { model }),
    ...(script === undefined ? {} : { script }),
  };
}

/** The model is about to stream its answer to `call`. A second stream of a call that is held waits with the first. */
export async function streamModel(ledger: Ledger, call: number, signal: AbortSignal): Promise<void> {
  const held = ledger.transact(() => {
    verifyStarted(ledger);
    const row = firstRow<{ purpose: string; ordinal: number }>(
      ledger.sql,
      "SELECT purpose, ordinal FROM model_call WHERE call = ?",
      call,
    );
    if (row === undefined) throw new Refusal("call-unknown", `Model call ${call} was never requested.`);
    if (row.purpose !== "turn") return undefined;
    const hold: Hold = { point: "model-stream", occurrence: row.ordinal };
    if (isArmed(ledger.sql, hold)) reachHold(ledger, hold, { attempt: null, call });
    return readHold(ledger.sql, hold)?.state === "reached" ? hold : undefined;
  });
  if (held !== undefined) await waitAt(ledger, held, signal);
}

/** The armed holds that the turn request just recorded reaches. */
function holdsOn({ sql }: Ledger, ordinal: number): Hold[] {
  const sinceReceipt = countOf(
    sql,
    `SELECT count(*) AS n FROM model_call WHERE purpose = 'turn'
     AND seq > (SELECT min(seq) FROM journal WHERE type = 'receipt.sent')`,
  );
  const reached: Hold[] = [{ point: "model-request", occurrence: ordinal }];
  if (sinceReceipt > 0) reached.push({ point: "after-receipt", occurrence: sinceReceipt });
  return reached.filter((hold) => isArmed(sql, hold));
}

async function waitAt(ledger: Ledger, hold: Hold, signal: AbortSignal): Promise<void> {
  // A caller that goes away changes nothing here: its request was recorded, and the hold stays until released.
  await ledger.modelCallers.wait(nameOf(hold), signal, () => {});
}
