/**
 * Real models through the platform's AI binding, by the provider that `agents/models/opencode` answers OpenCode with
 * (`agents/models/ai-sdk`). They are asked here and not in the subject, so that what is asked and answered is in the journal and held at
 * the points, whatever the harness.
 *
 * Nothing reaches a model where the kit is tested: what is tested is what is asked of the provider and what is made of its answer.
 */
import { createAI } from "agents/models/ai-sdk";
import type { Asked, RealModel, Said } from "../model/index.ts";
import { REAL_MODEL_SETTINGS } from "../trace/real-model-settings.ts";

export type Provider = Pick<ReturnType<typeof createAI>, "languageModel">;
type Binding = NonNullable<Parameters<typeof createAI>[0]["binding"]>;
type CallOptions = Parameters<ReturnType<Provider["languageModel"]>["doGenerate"]>[0];
type Prompt = CallOptions["prompt"];

/** Null where the controller has no such binding. */
export function realModelOf(binding: Binding | undefined): RealModel | null {
  return binding === undefined ? null : realModel(createAI({ binding }));
}

export function realModel(provider: Provider): RealModel {
  return async (asked) => {
    // The id is the user's: whether there is such a model, the platform says.
    const id = asked.model as Parameters<Provider["languageModel"]>[0];
    const { content, usage } = await provider.languageModel(id).doGenerate(optionsOf(asked));
    const said: Said = {
      text: content.flatMap((part) => (part.type === "text" ? part.text : [])).join(""),
      toolCalls: content.flatMap((part) =>
        part.type === "tool-call"
          ? [{ id: part.toolCallId, name: part.toolName, arguments: part.input }]
          : [],
      ),
      usage: { input: usage.inputTokens.total ?? null, output: usage.outputTokens.total ?? null },
    };
    return said;
  };
}

function optionsOf({ messages, tools }: Asked): CallOptions {
  return {
    prompt: promptOf(messages),
    ...REAL_MODEL_SETTINGS,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ function: { name, description, parameters } }) => ({
            type: "function" as const,
            name,
            ...(description == null ? {} : { description }),
            inputSchema: parameters ?? { type: "object" as const },
          })),
        }),
  };
}

function promptOf(messages: Asked["messages"]): Prompt {
  const names = new Map(
    messages.flatMap((message) =>
      message.role === "assistant"
        ? message.tool_calls.map(({ id, function: { name } }) => [id, name] as const)
        : [],
    ),
  );
  return messages.map((message) => entryOf(message, names));
}

/** `names`: of the tools, by call. */
function entryOf(message: Asked["messages"][number], names: ReadonlyMap<string, string>): Prompt[number] {
  const { role, content } = message;
  if (role === "user") return { role, content: [{ type: "text", text: content }] };
  if (role === "assistant")
    return {
      role,
      content: [
        ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
        ...message.tool_calls.map((call) => ({
          type: "tool-call" as const,
          toolCallId: call.id,
          toolName: call.function.name,
          input: inputOf(call.function.arguments),
        })),
      ],
    };
  if (role !== "tool") return { role: "system", content };
  const { tool_call_id: toolCallId } = message;
  const toolName = names.get(toolCallId) ?? "unknown";
  return {
    role,
    content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } }],
  };
}

/** As the host sent it, where that is no JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
