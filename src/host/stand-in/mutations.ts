/**
 * Named ways to break the host, each one rule of the contract, all off by default. They exist so that the
 * contract suite, the inspectors and the verdict can be shown to notice.
 */
export const MUTATIONS = {
  reexecuteToolOnBoot:
    "a resumed run executes the interrupted tool call again without asking the model (9.2)",
  claimNotWritten: "execution.started does not set the claim (8, step 1)",
  claimNeverReleased: "terminal events leave the claim set (8, step 3)",
  noBootSweep: "nothing looks for claimed sessions when the host starts (9.1)",
  staleToolLeftRunning: "a resumed run does not settle interrupted tool calls (9.2)",
  resultAndCallInOneTransaction: "tool.called is committed together with the result, after execute (9.5)",
  counterNeverIncremented: "the boot sweep does not count its attempts (9.1, step 5)",
  logSeqGap: "each tool.called skips one sequence number (5.1)",
  promptNotIdempotent: "a repeated prompt id is admitted as a new input (3.3)",
  sessionTableLost: "the host starts with empty sessions whatever was stored (11)",
} as const;

export type Mutation = keyof typeof MUTATIONS;
