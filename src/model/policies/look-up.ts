/** Reads the ledger before it does anything else. What the ledger answers is acted on in decide.ts. */
import { lookUp, type PolicyFunction } from "../decision.ts";

export const lookUpFirst: PolicyFunction = (operation, _interrupted, config) => lookUp(operation, config);
