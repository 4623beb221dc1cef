/** The way out of the container, as the environment names it: to whatever acts for the agent inside. */
import { call, type Peer } from "../../../../src/link/call.ts";
import { LedgerLink } from "../../../../src/link/ledger-link.ts";
import type { LedgerToolOptions } from "../../../../src/plugin/ledger-tools.ts";
import { KeySource } from "../../../../src/trace/levels.ts";
import {
  KEY_SOURCE_VARIABLE,
  OUTSIDE_KEY_VARIABLE,
  OUTSIDE_URL_VARIABLE,
  OutsideIdentity,
  SESSION_VARIABLE,
  TRIAL_VARIABLE,
} from "../../../../src/trace/protocol/container-protocol.ts";
import { localFetch } from "../../process/local-fetch.ts";

/** What a program has to be given by whoever starts it, where that one does not hand its environment on. */
export const OUTSIDE_VARIABLES = [
  OUTSIDE_URL_VARIABLE,
  OUTSIDE_KEY_VARIABLE,
  TRIAL_VARIABLE,
  SESSION_VARIABLE,
  KEY_SOURCE_VARIABLE,
] as const;

/** @throws when a variable is not set. */
export function outside(): Peer {
  return { fetch: localFetch, base: outsideBase(), secret: variable(OUTSIDE_KEY_VARIABLE) };
}

/** Every way out of this container begins so. */
export function outsideBase(): string {
  return `${variable(OUTSIDE_URL_VARIABLE)}/outside/${variable(TRIAL_VARIABLE)}`;
}

export function ledgerToolOptions(peer: Peer): LedgerToolOptions {
  return {
    ledger: new LedgerLink(peer, variable(TRIAL_VARIABLE)),
    identify: () => call(peer, "GET", "/identity", OutsideIdentity),
    key: () => KeySource.parse(variable(KEY_SOURCE_VARIABLE)),
  };
}

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
