/**
 * Anthropic's Messages, as Claude Code speaks it. What came of a call stands in a message of the user, before the words of
 * it; instructions stand beside the messages or among them.
 */
import { z } from "zod";
import { OpaqueId } from "../../trace/index.ts";
import type { Answer } from "../answer.ts";
import { Content, type Message, type ModelRequest } from "../request.ts";
import {
  type AnswerEvents,
  type Dialect,
  halves,
  type Json,
  type Refused,
  type ServerEvent,
} from "./dialect.ts";

const Text = z.object({ type: z.literal("text"), text: z.string() });
const ToolUse = z.object({
  type: z.literal("tool_use"),
  id: OpaqueId,
  name: z.string().min(1),
  input: z.looseObject({}),
});
const ToolResult = z.object({ type: z.literal("tool_result"), tool_use_id: OpaqueId, content: Content });
/** Images, thinking, searches: nothing that the script relies on. */
const OtherBlock = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => !["text", "tool_use", "tool_result"].includes(type), {
    message: "a block of this type lacks a part of it",
  });
const Blocks = z.union([
  z.string().transform((text) => [{ type: "text" as const, text }]),
  z.array(z.union([Text, ToolUse, ToolResult, OtherBlock])),
]);

const MessagesRequest = z
  .object({
    model: z.string().min(1),
    max_tokens: z.number().int().positive(),
    messages: z.array(z.object({ role: z.enum(["user", "assistant", "system"]), content: Blocks })).min(1),
    system: Content,
    stream: z
      .boolean()
      .nullish()
      .transform((stream) => stream ?? false),
    tools: z
      .array(z.looseObject({ name: z.string().min(1) }))
      .nullish()
      .transform((tools) => tools ?? []),
    tool_choice: z.looseObject({ type: z.string() }).nullish(),
  })
  .transform(
    ({ model, messages, system, stream, tools, tool_choice }): ModelRequest => ({
      model,
      stream,
      tool_choice: tool_choice?.type,
      tools: tools.map(({ name }) => ({ function: { name } })),
      messages: [
        ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
        ...messages.flatMap(({ role, content }) => messagesOf(role, content)),
      ],
    }),
  );

export const messages: Dialect = {
  request: MessagesRequest,
  events: eventsOf,
  whole: (answer, model) => ({
    ...messageOf(answer, model),
    content: [
      { type: "text", text: answer.text },
      ...(answer.toolCall === null
        ? []
        : [
            {
              type: "tool_use",
              id: answer.toolCall.id,
              name: answer.toolCall.name,
              input: JSON.parse(answer.toolCall.arguments),
            },
          ]),
    ],
    stop_reason: stopReasonOf(answer),
    usage: usageOf(answer),
  }),
  error: errorOf,
  brokenOff: (refused) => ({ event: "error", data: JSON.stringify(errorOf(refused)) }),
};

function messagesOf(role: "user" | "assistant" | "system", blocks: z.infer<typeof Blocks>): Message[] {
  const content = blocks
    .flatMap((block) => {
      const text = Text.safeParse(block);
      return text.success ? [text.data.text] : [];
    })
    .join("\n");
  if (role === "assistant") {
    const calls = blocks.flatMap((block) => {
      const call = ToolUse.safeParse(block);
      if (!call.success) return [];
      const { id, name, input } = call.data;
      return [{ id, function: { name, arguments: JSON.stringify(input) } }];
    });
    return [{ role, content, tool_calls: calls }];
  }
  const results = blocks.flatMap((block): Message[] => {
    const result = ToolResult.safeParse(block);
    return result.success
      ? [{ role: "tool", tool_call_id: result.data.tool_use_id, content: result.data.content }]
      : [];
  });
  return [...results, ...(content === "" && results.length > 0 ? [] : [{ role, content }])];
}

function eventsOf(answer: Answer, model: string): AnswerEvents {
  const event = (type: string, fields: Json): ServerEvent => ({
    event: type,
    data: JSON.stringify({ type, ...fields }),
  });
  const [first, second] = halves(answer.text);
  const words = (text: string) =>
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  const begin = [
    event("message_start", {
      message: {
        ...messageOf(answer, model),
        content: [],
        stop_reason: null,
        usage: { ...usageOf(answer), output_tokens: 0 },
      },
    }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    words(first),
  ];
  const rest = [words(second), event("content_block_stop", { index: 0 })];
  const finish: ServerEvent[] = [];
  const call = answer.toolCall;
  if (call !== null) {
    const [opening, closing] = halves(call.arguments);
    const fragment = (part: string) =>
      event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: part } });
    rest.push(
      event("content_block_start", {
        index: 1,
        content_block: { type: "tool_use", id: call.id, name: call.name, input: {} },
      }),
      fragment(opening),
    );
    finish.push(fragment(closing), event("content_block_stop", { index: 1 }));
  }
  finish.push(
    event("message_delta", {
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: usageOf(answer),
    }),
    event("message_stop", {}),
  );
  return { begin, rest, finish };
}

function messageOf(answer: Answer, model: string): Json {
  return { id: `msg_${answer.call}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function stopReasonOf({ toolCall }: Answer): "tool_use" | "end_turn" {
  return toolCall === null ? "end_turn" : "tool_use";
}

function usageOf({ usage }: Answer): Json {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: usage.output,
  };
}

/** Codes are not part of this protocol: one stands before its sentence. */
function errorOf({ type, code, message, param }: Refused): Json {
  const where = param === null ? "" : ` (${param})`;
  return {
    type: "error",
    error: {
      type: type === "server_error" ? "api_error" : type,
      message: `${code}: ${message}${where}`,
    },
  };
}
