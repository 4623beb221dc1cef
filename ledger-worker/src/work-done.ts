/**
 * How much this ledger's process has done since it started, for whoever measures the kit. It decides nothing, so that it
 * may be lost with the process.
 */
export const workDone = { requests: 0, transactions: 0 };
