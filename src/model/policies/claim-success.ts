/** Does nothing more, and claims success without a receipt: the claim that evidence has to contradict. */
import { claimCommitted, type PolicyFunction } from "../decision.ts";

export const claimSuccess: PolicyFunction = (operation) => claimCommitted(operation, null);
