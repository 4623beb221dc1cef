/** Does nothing more, and says that the outcome is unknown. */
import { claimUnknown, type PolicyRow } from "../decision.ts";

export const giveUp: PolicyRow = { ledgerCall: claimUnknown, ownCall: claimUnknown };
