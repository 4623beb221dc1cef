/** Calls again with the same action and key, as models commonly do. The call id is new. */
import { commit, type PolicyFunction } from "../decision.ts";

export const reissue: PolicyFunction = (operation, _interrupted, config) => commit(operation, config);
