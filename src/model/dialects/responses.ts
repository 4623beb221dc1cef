/**
 * OpenAI's Responses, as Codex speaks it. A conversation is a list of items: the words of one side, a call, what came of a
 * call. Tools may be offered in a namespace, and a call then names it beside the tool.
 */
import { z } from "zod";
import { OpaqueId } from "../../trace/index.ts";
import type { Answer } from "../answer.ts";
import { Content, type Message, type ModelRequest, type OfferedTool } from "../request.ts";
import {
  type AnswerEvents,
  type Dialect,
  halves,
  type Json,
  type Refused,
  type ServerEvent,
} from "./dialect.ts";

const Words = z.object({
  type: z.literal("message").default("message"),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: Content,
});
const Call = z.object({
  type: z.literal("function_call"),
  call_id: OpaqueId,
  name: z.string().min(1),
  arguments: z.string(),
});
const CallOutput = z.object({ type: z.literal("function_call_output"), call_id: OpaqueId, output: Content });
/** Reasoning, tools that were added, searches: nothing that the script relies on. */
const OtherItem = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => !["message", "function_call", "function_call_output"].includes(type), {
    message: "an item of this type lacks a part of it",
  });
const Item = z.union([Call, CallOutput, Words, OtherItem]);

const NamedTool = z.object({ type: z.literal("function"), name: z.string().min(1) });
const ToolNamespace = z.object({
  type: z.literal("namespace"),
  name: z.string().min(1),
  tools: z.array(z.looseObject({ name: z.string().min(1).optional() })),
});
/** Tools that the provider carries out itself have no name. */
const OtherTool = z
  .looseObject({ type: z.string() })
  .refine(({ type }) => !["function", "namespace"].includes(type), { message: "a tool without a name" });

const ResponsesRequest = z
  .object({
    model: z.string().min(1),
    input: z.union([z.string(), z.array(Item).min(1)]),
    instructions: z.string().nullish(),
    stream: z
      .boolean()
      .nullish()
      .transform((stream) => stream ?? false),
    tools: z
      .array(z.union([NamedTool, ToolNamespace, OtherTool]))
      .nullish()
      .transform((tools) => tools ?? []),
    tool_choice: z.unknown().optional(),
  })
  .transform(
    ({ model, input, instructions, stream, tools, tool_choice }): ModelRequest => ({
      model,
      stream,
      tool_choice,
      tools: tools.flatMap(toolsOf),
      messages: [
        ...(instructions ? [{ role: "system" as const, content: instructions }] : []),
        ...(typeof input === "string" ? [{ role: "user" as const, content: input }] : messagesOf(input)),
      ],
    }),
  );

export const responses: Dialect = {
  request: ResponsesRequest,
  events: eventsOf,
  whole: (answer, model) => responseOf(answer, model, "completed"),
  error: ({ type, code, message, param }) => ({ error: { message, type, param, code } }),
  brokenOff: (refused) => named("error", errorEvent(refused)),
};

function toolsOf(tool: z.infer<typeof NamedTool | typeof ToolNamespace | typeof OtherTool>): OfferedTool[] {
  if (NamedTool.safeParse(tool).success) return [{ function: { name: String(tool.name) } }];
  const namespace = ToolNamespace.safeParse(tool);
  if (!namespace.success) return [];
  return namespace.data.tools.flatMap(({ name }) =>
    name === undefined ? [] : [{ function: { name, namespace: namespace.data.name } }],
  );
}

/** What the model says and calls in one answer is several items, and one message. */
function messagesOf(items: readonly z.infer<typeof Item>[]): Message[] {
  const messages: Message[] = [];
  const ofModel = (): Extract<Message, { role: "assistant" }> => {
    const last = messages.at(-1);
    if (last?.role === "assistant") return last;
    const next = { role: "assistant" as const, content: "", tool_calls: [] };
    messages.push(next);
    return next;
  };
  for (const item of items) {
    const call = Call.safeParse(item);
    const output = CallOutput.safeParse(item);
    const words = Words.safeParse(item);
    if (call.success) {
      const { call_id: id, name, arguments: written } = call.data;
      ofModel().tool_calls.push({ id, function: { name, arguments: written } });
    } else if (output.success) {
      messages.push({ role: "tool", tool_call_id: output.data.call_id, content: output.data.output });
    } else if (words.success) {
      const { role, content } = words.data;
      if (role !== "assistant") messages.push({ role, content });
      else {
        const message = ofModel();
        message.content = [message.content, content].filter((text) => text !== "").join("\n");
      }
    }
  }
  return messages;
}

function eventsOf(answer: Answer, model: string): AnswerEvents {
  let sequence = 0;
  const event = (type: string, fields: Json): ServerEvent => {
    sequence += 1;
    return named(type, { type, sequence_number: sequence - 1, ...fields });
  };
  const opened = responseOf(answer, model, "in_progress");
  const words = wordsOf(answer, "completed");
  const text = { item_id: words.id, output_index: 0, content_index: 0 };
  const [first, second] = halves(answer.text);
  const begin = [
    event("response.created", { response: opened }),
    event("response.in_progress", { response: opened }),
    event("response.output_item.added", {
      output_index: 0,
      item: { ...words, status: "in_progress", content: [] },
    }),
    event("response.content_part.added", { ...text, part: textPart("") }),
    event("response.output_text.delta", { ...text, delta: first, logprobs: [] }),
  ];
  const rest = [
    event("response.output_text.delta", { ...text, delta: second, logprobs: [] }),
    event("response.output_text.done", { ...text, text: answer.text, logprobs: [] }),
    event("response.content_part.done", { ...text, part: textPart(answer.text) }),
    event("response.output_item.done", { output_index: 0, item: words }),
  ];
  const finish: ServerEvent[] = [];
  const call = callOf(answer, "completed");
  if (call !== null) {
    const place = { item_id: call.id, output_index: 1 };
    const [opening, closing] = halves(call.arguments);
    rest.push(
      event("response.output_item.added", {
        output_index: 1,
        item: { ...call, status: "in_progress", arguments: "" },
      }),
      event("response.function_call_arguments.delta", { ...place, delta: opening }),
    );
    finish.push(
      event("response.function_call_arguments.delta", { ...place, delta: closing }),
      event("response.function_call_arguments.done", {
        ...place,
        name: call.name,
        arguments: call.arguments,
      }),
      event("response.output_item.done", { output_index: 1, item: call }),
    );
  }
  finish.push(event("response.completed", { response: responseOf(answer, model, "completed") }));
  return { begin, rest, finish };
}

function responseOf(answer: Answer, model: string, status: "in_progress" | "completed"): Json {
  const call = callOf(answer, "completed");
  const isOver = status === "completed";
  return {
    id: `resp_${answer.call}`,
    object: "response",
    created_at: 0,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: isOver ? [wordsOf(answer, status), ...(call === null ? [] : [call])] : [],
    parallel_tool_calls: false,
    temperature: null,
    top_p: null,
    tool_choice: "auto",
    tools: [],
    usage: isOver ? usageOf(answer) : null,
  };
}

function wordsOf(answer: Answer, status: "completed") {
  return {
    id: `msg_${answer.call}`,
    type: "message",
    role: "assistant",
    status,
    content: [textPart(answer.text)],
  };
}

function callOf({ call, toolCall }: Answer, status: "completed") {
  if (toolCall === null) return null;
  const { id, name, namespace, arguments: written } = toolCall;
  return {
    id: `fc_${call}`,
    type: "function_call",
    status,
    call_id: id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: written,
  };
}

function textPart(text: string): Json {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function usageOf({ usage }: Answer): Json {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
}

function errorEvent({ code, message, param }: Refused): Json {
  return { type: "error", sequence_number: 0, code, message, param };
}

function named(event: string, data: Json): ServerEvent {
  return { event, data: JSON.stringify(data) };
}
