/**
 * The scripted model's view of a request: what it was asked, and what came of the calls it made since. A pure
 * function of the messages, as a model has no other memory.
 */
import type { LedgerTool } from "./decision.ts";
import { type ParsedPrompt, parsePrompt } from "./prompt.ts";
import type { Message, ModelRequest, OfferedTool } from "./request.ts";
import { ledgerToolIn, ledgerToolNamed, shellAmong } from "./shell-call.ts";
import { type Outcome, readOutcome } from "./told-outcome.ts";

export type Purpose = "turn" | "title" | "compaction";

export type ToolResult = {
  readonly call: string;
  /** As the harness calls it. */
  readonly tool: string;
  /** Which ledger tool it was, or stood for; null for any other. */
  readonly ledger: LedgerTool | null;
  readonly outcome: Outcome;
  /** What the request shows of it, whole. */
  readonly text: string;
};

export type Conversation = {
  readonly purpose: Purpose;
  /** The newest prompt; null when no user message is one. */
  readonly prompt: ParsedPrompt | null;
  /** Tool results of the whole request, in order. */
  readonly results: readonly ToolResult[];
  /** Tool results since the prompt, in order. */
  readonly since: readonly ToolResult[];
  /** The newest of them; null at the start of a turn. */
  readonly latest: ToolResult | null;
  /** How many prompts of the request ask for the operation: more than one where it was handed in under several ids. */
  readonly prompts: number;
  /** Whether the turn carries a notice that the work was restarted. */
  readonly restartNotice: boolean;
  /** Whether this request lets the model call a tool at all. */
  readonly mayCall: boolean;
  /** The shell through which the ledger is reached; null where it has tools of its own. */
  readonly shell: string | null;
  /** The ledger tools as the client offers them, which may be under a longer name. */
  readonly offered: Readonly<Partial<Record<LedgerTool, OfferedTool["function"]>>>;
  /** Every tool that the client offers. */
  readonly tools: readonly OfferedTool["function"][];
};

const RESTART = /\brestart/i;

export function viewOf(request: ModelRequest): Conversation {
  const { messages } = request;
  const promptAt = messages.findLastIndex((m) => m.role === "user" && parsePrompt(m.content) !== null);
  const asked = messages[promptAt];
  const results = resultsOf(messages);
  const since = resultsOf(messages, promptAt + 1);
  return {
    purpose: purposeOf(request),
    prompt: asked === undefined ? null : parsePrompt(asked.content),
    results,
    since,
    latest: since.at(-1) ?? null,
    prompts: messages.filter((m) => m.role === "user" && asksForWork(m.content)).length,
    restartNotice: turnOf(messages, promptAt).some((m) => m.role === "user" && RESTART.test(m.content)),
    mayCall: request.tools.length > 0 && request.tool_choice !== "none",
    shell: shellAmong(request.tools.map((tool) => tool.function.name)),
    offered: Object.fromEntries(
      request.tools.flatMap((tool) => {
        const ledger = ledgerToolNamed(tool.function.name);
        return ledger === null ? [] : [[ledger, tool.function]];
      }),
    ),
    tools: request.tools.map((tool) => tool.function),
  };
}

function asksForWork(text: string): boolean {
  const kind = parsePrompt(text)?.kind;
  return kind === "operation" || kind === "task";
}

/**
 * Hosts ask for titles and summaries without tools and under instructions of their own. A turn whose host
 * offers no tools at all is told apart by those instructions.
 */
function purposeOf({ messages, tools }: ModelRequest): Purpose {
  if (tools.length > 0) return "turn";
  const system = messages.filter((m) => m.role === "system" || m.role === "developer");
  if (system.some((m) => /\btitles?\b/i.test(m.content))) return "title";
  const instructions = [...system, ...messages.filter((m) => m.role === "user")];
  return instructions.some((m) => /summar|compact/i.test(m.content)) ? "compaction" : "turn";
}

/**
 * The messages of the current turn. They begin before the prompt, after the last answer of the turn before,
 * because a host that died before it delivered the prompt puts its notice in front of it.
 */
function turnOf(messages: readonly Message[], promptAt: number): readonly Message[] {
  const previous = messages.slice(0, Math.max(promptAt, 0)).findLastIndex((m) => m.role === "assistant");
  return messages.slice(previous + 1);
}

function resultsOf(messages: readonly Message[], from = 0): ToolResult[] {
  const calls = new Map(
    messages.flatMap((m) =>
      m.role === "assistant" ? m.tool_calls.map((call) => [call.id, call.function] as const) : [],
    ),
  );
  return messages.slice(from).flatMap((m) => {
    if (m.role !== "tool") return [];
    const { name: tool, arguments: written } = calls.get(m.tool_call_id) ?? { name: "", arguments: "" };
    const ledger = ledgerToolIn(tool, written);
    return [{ call: m.tool_call_id, tool, ledger, outcome: readOutcome(ledger, m.content), text: m.content }];
  });
}
