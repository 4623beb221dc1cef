/** Does nothing more, and claims success without a receipt: the claim that evidence has to contradict. */
import { claimCommitted, type PolicyRow } from "../decision.ts";

export const claimSuccess: PolicyRow = {
  ledgerCall: (operation) => claimCommitted(operation, null),
  ownCall: (lost) => claimCommitted(lost, null),
};
