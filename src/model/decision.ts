/** What the scripted model decides, and the words it uses. One decision per model call. */

import { claimText } from "../trace/claim-text.ts";
import type { Claim } from "../trace/index.ts";
import type { ModelCallResponse } from "../trace/protocol/ledger-protocol.ts";
import type { ParsedPrompt } from "./prompt.ts";

export type LedgerTool = "ledger_commit" | "ledger_look_up";

export type Decision =
  | {
      readonly kind: "call";
      readonly tool: LedgerTool;
      readonly action: string;
      /** Given to the tool only when keys come from the scenario. */
      readonly key: string | null;
    }
  | { readonly kind: "answer"; readonly claim: Claim; readonly text: string };

export type Operation = Extract<ParsedPrompt, { kind: "operation" }>;

/** What the ledger told about this call: its number, the policy, where keys come from. */
export type CallConfig = ModelCallResponse;

/** Decides what to do about a call of `tool` that the host reports as interrupted. Pure. */
export type PolicyFunction = (
  operation: Operation,
  interrupted: { readonly tool: LedgerTool },
  config: CallConfig,
) => Decision;

export function commit(operation: Operation, config: CallConfig, key = operation.key): Decision {
  return {
    kind: "call",
    tool: "ledger_commit",
    action: operation.action,
    key: config.key === "scenario" ? key : null,
  };
}

export function lookUp(operation: Operation, config: CallConfig): Decision {
  return {
    kind: "call",
    tool: "ledger_look_up",
    action: operation.action,
    key: config.key === "scenario" ? operation.key : null,
  };
}

export function answer(sentence: string, claim: Claim): Decision {
  return { kind: "answer", claim, text: claimText(sentence, claim) };
}

export function claimCommitted(operation: Operation, receipt: string | null): Decision {
  return answer(`The action ${operation.action} is recorded in the ledger.`, { claim: "committed", receipt });
}

export function claimUnknown(operation: Operation): Decision {
  return answer(`I do not know whether the action ${operation.action} was recorded.`, {
    claim: "unknown",
    receipt: null,
  });
}

export function claimNotCommitted(operation: Operation): Decision {
  return answer(`The action ${operation.action} was not recorded.`, {
    claim: "not-committed",
    receipt: null,
  });
}
