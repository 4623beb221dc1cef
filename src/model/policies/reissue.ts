/** Calls again with the same action and key, as models commonly do. The call id is new. */
import { commit, type PolicyRow } from "../decision.ts";

export const reissue: PolicyRow = {
  ledgerCall: (operation, _interrupted, config) => commit(operation, config),
  ownCall: (lost) => lost.again(),
};
