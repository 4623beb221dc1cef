/**
 * The script of the model: conversation and configuration in, decision out. Everything but the reaction to an
 * interruption is the same under every policy, so that conditions differ in nothing else. Pure.
 */
import type { Conversation } from "./conversation.ts";
import { decideScript } from "./decide-script.ts";
import {
  answer,
  type CallConfig,
  claimCommitted,
  claimNotCommitted,
  claimUnknown,
  commit,
  type Decision,
  type Operation,
} from "./decision.ts";
import { POLICIES } from "./policies/index.ts";

export const PROBE_ANSWER = "Hello. The session takes new work.";
export const TITLE_ANSWER = "Ledger entry";
/**
 * Carries neither prompt nor receipt: a trial stays far below every context window, and a summary that repeated
 * the prompt would read as a new request and cause a second effect of the model's own making.
 */
export const SUMMARY_ANSWER = "One ledger operation was under way.";
const NO_CLAIM = { claim: "none", receipt: null } as const;

export function decide(conversation: Conversation, config: CallConfig): Decision {
  const { purpose, prompt } = conversation;
  if (purpose === "title") return { kind: "answer", claim: NO_CLAIM, text: TITLE_ANSWER };
  if (purpose === "compaction") return { kind: "answer", claim: NO_CLAIM, text: SUMMARY_ANSWER };
  if (prompt === null) return answer("I see no request that I could act on.", NO_CLAIM);
  if (prompt.kind === "probe") return { kind: "answer", claim: NO_CLAIM, text: PROBE_ANSWER };
  if (prompt.kind === "task") return decideScript(conversation, config);
  const decision = decideOperation(prompt, conversation, config);
  if (decision.kind === "answer" || conversation.mayCall) return decision;
  // The host allows no call here (its step limit, or no tools): say what is known instead.
  return conversation.latest === null ? claimNotCommitted(prompt) : claimUnknown(prompt);
}

function decideOperation(operation: Operation, { latest }: Conversation, config: CallConfig): Decision {
  if (latest === null) return commit(operation, config);
  const { ledger: tool, outcome } = latest;
  switch (outcome.kind) {
    case "receipt":
      return claimCommitted(operation, outcome.receipt);
    case "entries": {
      const [receipt] = outcome.receipts;
      return receipt === undefined ? commit(operation, config) : claimCommitted(operation, receipt);
    }
    case "interrupted": {
      const lost = tool === "ledger_look_up" ? tool : "ledger_commit";
      return POLICIES[config.policy].ledgerCall(operation, { tool: lost }, config);
    }
    case "refused":
      // A refused look-up leaves the question open for which it was made.
      return tool === "ledger_commit" ? claimNotCommitted(operation) : claimUnknown(operation);
    case "error":
    case "other":
      return claimUnknown(operation);
  }
}
