/**
 * Calls again under a key of its own making, which defeats a destination that knows repeats by their key.
 * Where the key does not come from the scenario there is none to change, and this is `reissue`.
 */
import { commit, type PolicyFunction } from "../decision.ts";

export const newKey: PolicyFunction = (operation, _interrupted, config) =>
  commit(operation, config, `retry-${config.call}`);
