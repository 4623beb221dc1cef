/**
 * The request as an OpenAI-compatible client sends it, which is also the form into which every other dialect is read. Strict
 * in what the model relies on, tolerant of every other field and of the ways in which clients write `content`.
 *
 * Leaves to others: other protocols (dialects/), whether the messages make a legal conversation (strictness.ts), what they
 * mean (conversation.ts).
 */
import { z } from "zod";
import { OpaqueId } from "../trace/index.ts";

/** Parts without text (images, files) are kept out of the text. */
export const Content = z
  .union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
  .nullish()
  .transform((content) =>
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"),
  );

const ToolCall = z.object({
  id: OpaqueId,
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});

const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal(["system", "developer", "user"]), content: Content }),
  z.object({
    role: z.literal("assistant"),
    content: Content,
    tool_calls: z
      .array(ToolCall)
      .nullish()
      .transform((calls) => calls ?? []),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: OpaqueId, content: Content }),
]);
export type Message = z.infer<typeof Message>;

export const ChatRequest = z.object({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z
    .boolean()
    .nullish()
    .transform((stream) => stream ?? false),
  tools: z
    .array(z.object({ type: z.literal("function"), function: z.object({ name: z.string().min(1) }) }))
    .nullish()
    .transform((tools) => tools ?? []),
  tool_choice: z.unknown().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** A tool as it is offered, and as a call of it has to name it. */
export type OfferedTool = { readonly function: { readonly name: string; readonly namespace?: string } };

/** A request of any dialect. */
export type ModelRequest = Omit<ChatRequest, "tools"> & { readonly tools: readonly OfferedTool[] };

/** Every text that the request carries, for counting tokens. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? [
          message.content,
          ...message.tool_calls.flatMap((call) => [call.function.name, call.function.arguments]),
        ]
      : [message.content],
  );
}
