/**
 * Answers in the shapes of the OpenAI chat completions protocol: chunks for a stream, one object otherwise.
 * `created` is constant: the model has no clock, so that equal trials get equal bytes.
 */
import type { Answer } from "./answer.ts";

type Json = Record<string, unknown>;

/** An answer as chunks, cut where the handler has to stop and record something in between. */
type Chunks = {
  /** The role, and the first words. The stream has visibly begun after these. */
  readonly begin: readonly Json[];
  /** The rest of the text, and the tool call up to its last fragment. */
  readonly rest: readonly Json[];
  /**
   * What lets a client act: the last fragment of the arguments (some clients run a tool as soon as its arguments
   * parse), finish reason, usage.
   */
  readonly finish: readonly Json[];
};

export function chunksOf(answer: Answer, model: string): Chunks {
  const head = { id: idOf(answer), object: "chat.completion.chunk", created: 0, model };
  const delta = (content: Json): Json => ({
    ...head,
    choices: [{ index: 0, delta: content, finish_reason: null }],
  });
  const [first, second] = halves(answer.text);
  const call = answer.toolCall;
  const [opening, closing] = halves(call?.arguments ?? "");
  const argumentsDelta = (fragment: string): Json =>
    delta({ tool_calls: [{ index: 0, function: { arguments: fragment } }] });
  return {
    begin: [delta({ role: "assistant", content: "" }), delta({ content: first })],
    rest: [
      delta({ content: second }),
      ...(call === null
        ? []
        : [
            delta({
              tool_calls: [
                { index: 0, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
              ],
            }),
            argumentsDelta(opening),
          ]),
    ],
    finish: [
      ...(call === null ? [] : [argumentsDelta(closing)]),
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] },
      { ...head, choices: [], usage: usageOf(answer) },
    ],
  };
}

export function completionOf(answer: Answer, model: string): Json {
  const call = answer.toolCall;
  return {
    id: idOf(answer),
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text,
          ...(call === null
            ? {}
            : {
                tool_calls: [
                  { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } },
                ],
              }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  };
}

/** The error body of the protocol. */
export function errorOf(type: string, code: string, message: string, param: string | null = null): Json {
  return { error: { message, type, param, code } };
}

function idOf(answer: Answer): string {
  return `chatcmpl-${answer.call}`;
}

function finishOf(answer: Answer): "tool_calls" | "stop" {
  return answer.toolCall === null ? "stop" : "tool_calls";
}

function usageOf({ usage }: Answer): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}

function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
