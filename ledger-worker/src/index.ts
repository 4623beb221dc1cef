/** Entry of the ledger Worker: the gate, and the class behind it. */
import type { Env } from "./env.ts";
import { gate } from "./gate.ts";

export { TrialLedger } from "./trial-ledger.ts";

export default { fetch: gate.fetch } satisfies ExportedHandler<Env>;
