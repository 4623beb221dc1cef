/**
 * A real model in the scripted one's place: the same request, recorded and held the same way, answered by somebody who decides
 * for himself. Reads the request and puts his answer into the form of the scripted one's.
 *
 * Leaves to others: who he is and how he is reached (controller).
 */
import { z } from "zod";
import { Action, ActionKey, OpaqueId } from "../trace/index.ts";
import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelRequest } from "./request.ts";

/** What he is asked: the conversation so far, and the tools that he may call. */
export type Asked = {
  readonly model: string;
  readonly messages: ModelRequest["messages"];
  readonly tools: readonly OfferedTool[];
};

export type Said = {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Tokens, as he counts them; null where he does not say. */
  readonly usage: { readonly input: number | null; readonly output: number | null };
};

/** @throws what reaching him failed with. */
export type RealModel = (asked: Asked) => Promise<Said>;

/** A tool with the form of its input, which the scripted model does not need. */
const OfferedTool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});
export type OfferedTool = z.infer<typeof OfferedTool>;

const WithTools = z.object({ tools: z.array(OfferedTool).nullish() });

/** The tools of a request in the chat completions dialect. @throws for any other. */
export function offeredTools(body: string): OfferedTool[] {
  return WithTools.parse(JSON.parse(body)).tools ?? [];
}

/** The part of a tool's input that the journal keeps. */
const Input = z.object({ action: Action.nullish().catch(null), key: ActionKey.nullish().catch(null) }).catch({
  action: null,
  key: null,
});

/** @throws when he calls several tools at once: what is passed on is one, and leaving out others would hide their effects. */
export function answerOfReal(
  { text, toolCalls, usage }: Said,
  {
    call,
    purpose,
    tokens,
  }: { readonly call: number; readonly tokens: number } & Pick<Conversation, "purpose">,
): Answer {
  if (toolCalls.length > 1)
    throw new Error(`The real model called ${toolCalls.length} tools at once; the kit passes on one.`);
  const [given] = toolCalls;
  const toolCall = given === undefined ? null : { ...given, id: OpaqueId.parse(given.id) };
  const counted = { input: usage.input ?? tokens, output: usage.output ?? 0 };
  const input = toolCall === null ? null : Input.parse(parseJson(toolCall.arguments));
  return {
    call,
    text,
    toolCall,
    usage: counted,
    record: {
      source: "model",
      type: "model.answered",
      call,
      purpose,
      finish: toolCall === null ? "stop" : "tool-calls",
      toolCalls:
        toolCall === null
          ? []
          : [
              {
                call: toolCall.id,
                tool: toolCall.name.slice(0, 100),
                action: input?.action ?? null,
                key: input?.key ?? null,
              },
            ],
      text: text.slice(0, TEXT_MAX),
      tokens: counted,
    },
  };
}

/** What a record holds of an answer. */
const TEXT_MAX = 20_000;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
