/**
 * How a tool reaches the ledger from inside a process that is the subject: environment variables, set by whoever starts
 * the process. A shell inherits them, so a command line can name them and hold no secret and nothing of one activation.
 */

/** Base URL of the ledger Worker. */
export const LEDGER_URL_VARIABLE = "KIT_LEDGER_URL";
/** The kit's shared secret. */
export const SECRET_VARIABLE = "KIT_SECRET";
/** Which run of which process it is: the activation's id, and the durable count of starts. */
export const ACTIVATION_VARIABLE = "KIT_ACTIVATION";
export const GENERATION_VARIABLE = "KIT_GENERATION";

/** Stands for what a tool is not told by its harness. Nothing is made up in its place. */
export const UNKNOWN = "unknown";
