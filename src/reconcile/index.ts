/** Trace in, verdict out. */
export { Expectation, type ExpectationMatch, expectableWords, matchExpectation } from "./expectation.ts";
export { explain } from "./explain.ts";
export type { Finding } from "./finding.ts";
export { judge } from "./judge.ts";
export { Verdict } from "./verdict.ts";
