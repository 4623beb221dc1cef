/**
 * Reads the ledger before it does anything else. What the ledger answers is acted on in decide.ts, what an agent's own tool
 * answers in decide-script.ts.
 */
import { claimUnknown, lookUp, type PolicyRow } from "../decision.ts";

export const lookUpFirst: PolicyRow = {
  ledgerCall: (operation, _interrupted, config) => lookUp(operation, config),
  ownCall: (lost) => lost.lookUp() ?? claimUnknown(lost),
};
