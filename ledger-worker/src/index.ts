/** Entry of the ledger Worker: the gate, and the class behind it. */

import { gate } from "./gate.ts";
import type { Env } from "./ledger-env.ts";

export { RunnerBoard } from "./runner-board.ts";
export { TrialLedger } from "./trial-ledger.ts";

export default { fetch: gate.fetch } satisfies ExportedHandler<Env>;
