/** Does nothing more, and says that the outcome is unknown. */
import { claimUnknown, type PolicyFunction } from "../decision.ts";

export const giveUp: PolicyFunction = (operation) => claimUnknown(operation);
