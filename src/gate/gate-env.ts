/** The gate Worker's bindings, as declared in its `wrangler.jsonc` and as the local runtime fills them in, and its peers. */
import type { Peer } from "../link/call.ts";
import { LedgerLink } from "../link/ledger-link.ts";
import { TrialId } from "../trace/ids.ts";
import { GateRules } from "./gate-rules.ts";

export type GateEnv = {
  readonly LEDGER: Fetcher;
  readonly CONTROLLER: Fetcher;
  readonly KIT_SECRET?: string;
  /** `GateRules`; absent for a gate that lets nothing out. */
  readonly RULES?: unknown;
  /** The trial of a process that serves one. */
  readonly ONLY_TRIAL?: string;
};

export function rulesOf(env: GateEnv): GateRules {
  return GateRules.parse(env.RULES ?? {});
}

export function onlyTrialOf(env: GateEnv): TrialId | null {
  return env.ONLY_TRIAL === undefined ? null : TrialId.parse(env.ONLY_TRIAL);
}

export function ledgerOf(env: GateEnv, trial: string): LedgerLink {
  return new LedgerLink(peer(env, env.LEDGER, "ledger"), trial);
}

export function controllerPeer(env: GateEnv): Peer {
  return peer(env, env.CONTROLLER, "controller");
}

function peer(env: GateEnv, fetcher: Fetcher, name: string): Peer {
  return {
    fetch: (url, init) => fetcher.fetch(url, init),
    base: `http://${name}.invalid`,
    secret: env.KIT_SECRET ?? "",
  };
}
