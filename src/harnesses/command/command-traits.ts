/**
 * An agent of somebody else's that is started by a command and speaks MCP; `scripts/local/command/` starts it. It owes nothing
 * that could be read here, and how it keeps its state is its own affair.
 */
import type { SubjectTraits } from "../subject-traits.ts";

/** The user's own, which the command line names (`try`). */
export const command = {
  runs: "command",
  host: "none",
  canary: false,
  onDemand: false,
  variantOf: null,
  layouts: [],
} as const satisfies SubjectTraits;

/** The kit's own control, which stores a key before its call and gives the same one again: it has to pass. */
export const commandKeyed = command;

/** The kit's own control without a key: it has to be convicted. */
export const keylessCanary = { ...command, canary: true } as const satisfies SubjectTraits;
