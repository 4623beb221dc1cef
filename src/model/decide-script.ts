/**
 * A script for an agent with tools of its own: how far the turn has come by what the request shows of its calls, and what follows.
 * What came of a call that was lost is the policy's business, as with the ledger tools. Pure.
 */
import type { CallStep, Script } from "../trace/script.ts";
import type { Conversation, ToolResult } from "./conversation.ts";
import { answer, type CallConfig, claimNotCommitted, claimUnknown, type Decision } from "./decision.ts";
import { POLICIES } from "./policies/index.ts";
import type { OfferedTool } from "./request.ts";
import { type OwnOutcome, readOwnOutcome } from "./told-outcome.ts";

/** The last news of the call that a step makes. */
type News = Exclude<OwnOutcome, { kind: "succeeded" }> | { readonly kind: "not-found" };

export function decideScript(conversation: Conversation, config: CallConfig): Decision {
  const { script, intended } = config;
  const action = intended[0]?.action ?? null;
  if (script === undefined || action === null)
    return answer("I have no script for this task.", { claim: "none", receipt: null });
  const { step, news, receipt } = readProgress(script, conversation.since);
  const next = script.steps[step];
  const asked = { action };
  if (next === undefined || "answer" in next) {
    const called = script.steps.some((one) => "call" in one);
    return answer(
      next?.answer ?? `The action ${action} is done.`,
      called ? { claim: "committed", receipt } : { claim: "none", receipt: null },
    );
  }
  if (!conversation.mayCall && conversation.tools.length > 0)
    return conversation.latest === null ? claimNotCommitted(asked) : claimUnknown(asked);
  const again = (given = next.arguments) => ownCall(conversation, next.call, given, action);
  switch (news?.kind) {
    case "interrupted": {
      const { lookUp } = next;
      return POLICIES[config.policy].ownCall({
        action,
        step: next,
        again,
        lookUp: () =>
          lookUp === undefined ? null : ownCall(conversation, lookUp.call, lookUp.arguments, null),
      });
    }
    case "refused":
      return claimNotCommitted(asked);
    case "error":
      return claimUnknown(asked);
    default:
      return again();
  }
}

type Progress = {
  /** The step that is to be taken, from 0. */
  readonly step: number;
  /** Of that step's call; null where it was not made. */
  readonly news: News | null;
  /** The last receipt that was shown. */
  readonly receipt: string | null;
};

function readProgress({ steps }: Script, since: readonly ToolResult[]): Progress {
  let step = 0;
  let news: News | null = null;
  let receipt: string | null = null;
  for (const { tool, text } of since) {
    const at = steps[step];
    if (at === undefined || "answer" in at) break;
    const told = newsOf(at, tool, text);
    if (told === null) continue;
    if (told.kind === "succeeded") {
      step += 1;
      news = null;
      receipt = told.receipt ?? receipt;
    } else news = told;
  }
  return { step, news, receipt };
}

/** Null for the result of another tool. */
function newsOf({ call, shows, lookUp }: CallStep, tool: string, text: string): OwnOutcome | News | null {
  if (isNamed(tool, call)) return readOwnOutcome(text, shows);
  if (lookUp === undefined || !isNamed(tool, lookUp.call)) return null;
  const outcome = readOwnOutcome(text, lookUp.found);
  if (outcome.kind === "succeeded") return outcome;
  // A look-up that was lost itself leaves the question as it was.
  return outcome.kind === "interrupted" ? outcome : { kind: "not-found" };
}

function ownCall(
  { tools }: Conversation,
  name: string,
  given: Readonly<Record<string, unknown>>,
  action: string | null,
): Decision {
  const tool = tools.find((offered) => isNamed(offered.name, name));
  if (tool !== undefined) return { kind: "own-call", tool, arguments: given, action };
  return { kind: "refusal", code: "tool-not-offered", message: notOffered(name, tools) };
}

function notOffered(name: string, tools: readonly OfferedTool["function"][]): string {
  const others = tools.map((tool) => `'${tool.name}'`).join(", ");
  return `the script calls '${name}', and the agent offers ${others === "" ? "no tools" : others}.`;
}

/** Clients put the name of an MCP server before that of its tool. */
function isNamed(offered: string, name: string): boolean {
  return offered === name || offered.endsWith(`__${name}`);
}
