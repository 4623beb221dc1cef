/** The controller Worker's bindings, as declared in `wrangler.jsonc`, and the links made from them. */
import type { Peer } from "../link/call.ts";
import { LedgerLink } from "../link/ledger-link.ts";
import { SubjectLink } from "../link/subject-link.ts";
import type { CreateTrialRequest } from "../trace/protocol/controller-protocol.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { slotBindingName } from "./slots.ts";

export type ControllerEnv = {
  readonly TRIALS: Workflow<CreateTrialRequest>;
  readonly LEDGER: Fetcher;
  readonly SUBJECT: Fetcher;
  /** Real models; only of a deployment that was brought up with it. */
  readonly AI?: Ai;
  /** Shared secret of the kit's Workers. */
  readonly KIT_SECRET?: string;
};

export function ledgerOf(env: ControllerEnv, trial: string): LedgerLink {
  return new LedgerLink(ledgerPeer(env), trial);
}

export function ledgerPeer(env: ControllerEnv): Peer {
  return peer(env, env.LEDGER, "ledger");
}

/** The subject runtime that `wrangler.jsonc` binds. */
export function subjectPeer(env: ControllerEnv): Peer {
  return peer(env, env.SUBJECT, "subject");
}

/** The trial's subject, in the runtime that its slot names. */
export function subjectOf(
  env: ControllerEnv,
  spec: Pick<TrialSpec, "slot" | "trial" | "factors">,
): SubjectLink {
  return new SubjectLink(
    peer(env, subjectBinding(env, spec.slot), "subject"),
    spec.factors.subject,
    spec.trial,
  );
}

/** The subject runtime of a slot. @throws when this controller has no binding for it. */
export function subjectBinding(env: ControllerEnv, slot: string): Fetcher {
  if (slot === "default") return env.SUBJECT;
  const binding: unknown = Reflect.get(env, slotBindingName(slot));
  if (!isFetcher(binding)) throw new Error(`there is no subject runtime for slot '${slot}'`);
  return binding;
}

function isFetcher(value: unknown): value is Fetcher {
  return typeof value === "object" && value !== null && "fetch" in value && typeof value.fetch === "function";
}

function peer(env: ControllerEnv, fetcher: Fetcher, name: string): Peer {
  return {
    fetch: (url, init) => fetcher.fetch(url, init),
    base: `http://${name}.invalid`,
    secret: env.KIT_SECRET ?? "",
  };
}
