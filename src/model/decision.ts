/** What the scripted model decides, and the words it uses. One decision per model call. */

import { claimText } from "../trace/claim-text.ts";
import type { CallStep, Claim } from "../trace/index.ts";
import type { ModelCallResponse } from "../trace/protocol/ledger-protocol.ts";
import type { ParsedPrompt } from "./prompt.ts";
import type { OfferedTool } from "./request.ts";

export type LedgerTool = "ledger_commit" | "ledger_look_up";

export type Decision =
  | {
      readonly kind: "call";
      readonly tool: LedgerTool;
      readonly action: string;
      /** Given to the tool only when keys come from the scenario. */
      readonly key: string | null;
    }
  /** A call of one of the agent's own tools, as the script has it. */
  | {
      readonly kind: "own-call";
      readonly tool: OfferedTool["function"];
      readonly arguments: Readonly<Record<string, unknown>>;
      /** The action that the call is to bring about; null for one that just looks. */
      readonly action: string | null;
    }
  /** The script cannot go on in this agent. */
  | { readonly kind: "refusal"; readonly code: "tool-not-offered"; readonly message: string }
  | { readonly kind: "answer"; readonly claim: Claim; readonly text: string };

export type Operation = Extract<ParsedPrompt, { kind: "operation" }>;

/** What the ledger told about this call: its number, the policy, where keys come from. */
export type CallConfig = ModelCallResponse;

/** A call of an agent's own tool whose result was lost. */
type LostOwnCall = {
  readonly action: string;
  readonly step: CallStep;
  /** The same call again; with other arguments, where some are given. */
  readonly again: (given?: CallStep["arguments"]) => Decision;
  /** Null where the script names no look-up. */
  readonly lookUp: () => Decision | null;
};

/** What a policy decides about a call that the host reports as interrupted. Pure. */
export type PolicyRow = {
  readonly ledgerCall: (
    operation: Operation,
    interrupted: { readonly tool: LedgerTool },
    config: CallConfig,
  ) => Decision;
  readonly ownCall: (lost: LostOwnCall) => Decision;
};

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

/** What is asked for, however it is said. */
type Asked = Pick<Operation, "action">;

export function claimCommitted(operation: Asked, receipt: string | null): Decision {
  return answer(`The action ${operation.action} is recorded in the ledger.`, { claim: "committed", receipt });
}

export function claimUnknown(operation: Asked): Decision {
  return answer(`I do not know whether the action ${operation.action} was recorded.`, {
    claim: "unknown",
    receipt: null,
  });
}

export function claimNotCommitted(operation: Asked): Decision {
  return answer(`The action ${operation.action} was not recorded.`, {
    claim: "not-committed",
    receipt: null,
  });
}
