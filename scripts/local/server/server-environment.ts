/** What the server is told of the kit, beside what `src/trace/protocol/shell-protocol.ts` names for every tool. */
import {
  ACTIVATION_VARIABLE,
  GENERATION_VARIABLE,
  LEDGER_URL_VARIABLE,
  SECRET_VARIABLE,
} from "../../../src/trace/protocol/shell-protocol.ts";

/** Path of the identity file. */
export const IDENTITY_VARIABLE = "KIT_IDENTITY_FILE";

type KitVariables = {
  readonly ledgerUrl: string;
  readonly secret: string;
  readonly activation: string;
  readonly generation: number;
  readonly identityFile: string;
};

/** The secret is in the process's environment alone: no file names it. */
export function kitEnvironment(kit: KitVariables): Record<string, string> {
  return {
    [LEDGER_URL_VARIABLE]: kit.ledgerUrl,
    [SECRET_VARIABLE]: kit.secret,
    [ACTIVATION_VARIABLE]: kit.activation,
    [GENERATION_VARIABLE]: String(kit.generation),
    [IDENTITY_VARIABLE]: kit.identityFile,
  };
}
