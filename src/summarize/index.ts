/** Verdicts in, counts with their intervals out; two runs side by side. */
export { compareRuns } from "./compare-runs.ts";
export { environmentDifferences } from "./environments.ts";
export { zeroEventBound } from "./rate.ts";
export { chanceToSee, samplesForRate } from "./sample-size.ts";
export { type RunToSummarize, summarize, UNREADABLE } from "./summarize.ts";
