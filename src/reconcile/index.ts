/** Trace in, verdict out. */
export { explain, explainCode } from "./explain.ts";
export { judge } from "./judge.ts";
export { type Difference, type ExpectationMatch, matchExpectation } from "./match-expectation.ts";
