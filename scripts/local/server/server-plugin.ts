/**
 * The ledger tools as a plugin file of the server, for `.opencode/plugin/`. Bundled into one file (plugin-file.ts) and run
 * inside the server's process, so that everything it knows of the kit comes from the environment and from the identity
 * file beside the server's data. What the tools do is in `src/plugin/ledger-tools.ts`.
 */
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import {
  type CallContext,
  COMMIT_DESCRIPTION,
  COMMIT_TOOL,
  CommitInput,
  commit,
  type LedgerToolOptions,
  LOOK_UP_DESCRIPTION,
  LOOK_UP_TOOL,
  LookUpInput,
  lookUp,
} from "../../../src/plugin/ledger-tools.ts";
import {
  ACTIVATION_VARIABLE,
  GENERATION_VARIABLE,
  LEDGER_URL_VARIABLE,
  SECRET_VARIABLE,
} from "../../../src/trace/protocol/shell-protocol.ts";
import { localFetch } from "../process/local-fetch.ts";
import { IdentityFile } from "./identity-file.ts";
import { IDENTITY_VARIABLE } from "./server-environment.ts";

/** The part of a tool's context, as the server gives it, that is used. */
type ToolContext = { readonly sessionID: string; readonly messageID: string; readonly callID: string };

export const RecoveryKitLedger = async () => ({
  tool: {
    [COMMIT_TOOL]: {
      description: COMMIT_DESCRIPTION,
      args: CommitInput.shape,
      execute: (input: unknown, context: ToolContext) => commit(...placeOf(input, context)),
    },
    [LOOK_UP_TOOL]: {
      description: LOOK_UP_DESCRIPTION,
      args: LookUpInput.shape,
      execute: (input: unknown, context: ToolContext) => lookUp(...placeOf(input, context)),
    },
  },
});

function placeOf(
  input: unknown,
  { sessionID: session, messageID: message, callID: call }: ToolContext,
): [LedgerToolOptions, unknown, CallContext] {
  const identity = new IdentityFile(variable(IDENTITY_VARIABLE));
  const trial = identity.trialOfSession(session);
  const kept = trial === undefined ? undefined : identity.trial(trial);
  if (trial === undefined || kept === undefined) throw new Error(`session ${session} is no trial's`);
  const peer = {
    fetch: localFetch,
    base: variable(LEDGER_URL_VARIABLE),
    secret: variable(SECRET_VARIABLE),
  };
  const options: LedgerToolOptions = {
    ledger: new LedgerLink(peer, trial),
    identify: async () => ({
      activation: variable(ACTIVATION_VARIABLE),
      generation: Number(variable(GENERATION_VARIABLE)),
    }),
    key: () => kept.key,
  };
  return [options, input, { session, message, call }];
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
