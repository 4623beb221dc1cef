/** The link of an object to the ledger of its trial. */
import type { Peer } from "../link/call.ts";
import { LedgerLink } from "../link/ledger-link.ts";
import type { SubjectEnv } from "./subject-env.ts";

/** The trial's ledger. Host names in the URLs of service bindings carry no meaning. */
export function ledgerOf(env: Pick<SubjectEnv, "LEDGER" | "KIT_SECRET">, trial: string): LedgerLink {
  const peer: Peer = {
    fetch: (url, init) => env.LEDGER.fetch(url, init),
    base: "http://ledger.invalid",
    secret: env.KIT_SECRET ?? "",
  };
  return new LedgerLink(peer, trial);
}
