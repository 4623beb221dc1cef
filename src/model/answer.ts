/** A decision in the form in which it goes to the client and into the journal. Pure and deterministic. */
import type { RecordDraft } from "../trace/index.ts";
import type { Conversation } from "./conversation.ts";
import type { CallConfig, Decision } from "./decision.ts";
import { type Place, shellInput } from "./shell-call.ts";
import { countTokens } from "./tokens.ts";

export type Answer = {
  readonly call: number;
  readonly text: string;
  /** Name and namespace as the client offered the tool. */
  readonly toolCall: {
    readonly id: string;
    readonly name: string;
    readonly namespace?: string;
    readonly arguments: string;
  } | null;
  readonly usage: { readonly input: number; readonly output: number };
  readonly record: RecordDraft<"model.answered">;
};

export function answerOf(
  decision: Exclude<Decision, { kind: "refusal" }>,
  { purpose, shell, offered }: Pick<Conversation, "purpose" | "shell" | "offered">,
  config: Pick<CallConfig, "call" | "key">,
  inputTokens: number,
  place: Place,
): Answer {
  const { call } = config;
  const id = `call_${call}_0`;
  const toolCall =
    decision.kind === "call"
      ? callOf(decision, id, { shell, offered }, config, place)
      : decision.kind === "own-call"
        ? { id, ...decision.tool, arguments: JSON.stringify(decision.arguments) }
        : null;
  const text = textOf(decision);
  const usage = {
    input: inputTokens,
    output: countTokens([text, ...(toolCall === null ? [] : [toolCall.name, toolCall.arguments])]),
  };
  return {
    call,
    text,
    toolCall,
    usage,
    record: {
      source: "model",
      type: "model.answered",
      call,
      purpose,
      finish: toolCall === null ? "stop" : "tool-calls",
      toolCalls:
        toolCall === null || decision.kind === "answer"
          ? []
          : [
              {
                call: toolCall.id,
                tool: toolCall.name,
                action: decision.action,
                key: decision.kind === "call" ? decision.key : null,
              },
            ],
      text,
      tokens: usage,
    },
  };
}

/** Real models announce a call in words; it also gives the answer a beginning before its first tool fragment. */
function textOf(decision: Exclude<Decision, { kind: "refusal" }>): string {
  if (decision.kind === "answer") return decision.text;
  const tool = decision.kind === "call" ? decision.tool : decision.tool.name;
  return decision.action === null ? `I will use ${tool}.` : `I will use ${tool} for ${decision.action}.`;
}

function callOf(
  decision: Extract<Decision, { kind: "call" }>,
  id: string,
  { shell, offered }: Pick<Conversation, "shell" | "offered">,
  config: Pick<CallConfig, "key">,
  place: Place,
): NonNullable<Answer["toolCall"]> {
  const { payload, ...input } = inputOf(decision);
  if (shell === null)
    return {
      id,
      ...(offered[decision.tool] ?? { name: decision.tool }),
      arguments: JSON.stringify({ ...input, payload }),
    };
  const command = shellInput({ ...decision, call: id, payload }, config, place);
  return { id, name: shell, arguments: JSON.stringify(command) };
}

/** The payload depends on nothing but the action, so that a repeat carries the same bytes. */
function inputOf(decision: Extract<Decision, { kind: "call" }>): {
  action: string;
  key?: string;
  payload?: string;
} {
  return {
    action: decision.action,
    ...(decision.key === null ? {} : { key: decision.key }),
    ...(decision.tool === "ledger_commit" ? { payload: `record ${decision.action}` } : {}),
  };
}
