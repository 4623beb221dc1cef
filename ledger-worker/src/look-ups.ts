/**
 * Look-ups: a read of the destination, recorded with what it returned. With a key, the effects of that action and key;
 * without one, all effects of the action. Where the trial asks for a destination whose reads lag, it shows what there was before
 * the trial, which is nothing.
 */
import type { LookUpRequest, LookUpResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Ledger } from "./ledger.ts";
import { comparable } from "./tables.ts";
import { readConfig, verifyStarted } from "./trial.ts";

type EffectRow = { effect: string; receipt: string };

export function lookUp(ledger: Ledger, request: LookUpRequest): LookUpResponse {
  return ledger.transact(() => {
    verifyStarted(ledger);
    const { action, key } = request;
    const there = (
      key === null
        ? ledger.sql.exec<EffectRow>(
            "SELECT effect, receipt FROM effect WHERE action = ? ORDER BY attempt",
            action,
          )
        : ledger.sql.exec<EffectRow>(
            "SELECT effect, receipt FROM effect WHERE scope = ? ORDER BY attempt",
            comparable(action, key),
          )
    ).toArray();
    // Everything that there is came since the trial began.
    const effects = readConfig(ledger).lookUps === "stale" ? [] : there;
    const found = effects.length > 0;
    ledger.journal.append({
      source: "ledger",
      type: "entry.read",
      ...request,
      found,
      effects: effects.map((row) => row.effect),
    });
    return { found, effects };
  });
}
