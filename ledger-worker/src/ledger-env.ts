/** What wrangler.jsonc binds. `KIT_SECRET` is optional here because a deployment may lack it; the admission check refuses then. */
import type { RunnerBoard } from "./runner-board.ts";
import type { TrialLedger } from "./trial-ledger.ts";

export type Env = {
  readonly KIT_SECRET?: string;
  readonly TRIAL_LEDGER: DurableObjectNamespace<TrialLedger>;
  readonly RUNNER_BOARD: DurableObjectNamespace<RunnerBoard>;
};
