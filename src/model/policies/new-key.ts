/**
 * Calls again under a key of its own making, which defeats a destination that knows repeats by their key.
 * Where the key does not come from the scenario there is none to change, and this is `reissue`. A call of an agent's own tool
 * is made again with the changed arguments of the script.
 */
import { commit, type PolicyRow } from "../decision.ts";

export const newKey: PolicyRow = {
  ledgerCall: (operation, _interrupted, config) => commit(operation, config, `retry-${config.call}`),
  ownCall: (lost) => lost.again(lost.step.changed),
};
