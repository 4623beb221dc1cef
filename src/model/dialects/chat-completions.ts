/**
 * OpenAI's chat completions: chunks for a stream, one object otherwise. `created` is constant: the model has no clock, so
 * that equal trials get equal bytes.
 */
import type { Answer } from "../answer.ts";
import { ChatRequest } from "../request.ts";
import {
  type AnswerEvents,
  type Dialect,
  halves,
  type Json,
  type Refused,
  type ServerEvent,
} from "./dialect.ts";

export const chatCompletions: Dialect = {
  request: ChatRequest,
  events: eventsOf,
  whole: completionOf,
  error: errorOf,
  // Without finish reason and end marker, the client takes the stream for broken off, as it is.
  brokenOff: (refused) => eventOf(errorOf(refused)),
};

function eventsOf(answer: Answer, model: string): AnswerEvents {
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
  const begin = [delta({ role: "assistant", content: "" }), delta({ content: first })];
  const rest = [
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
  ];
  const finish = [
    ...(call === null ? [] : [argumentsDelta(closing)]),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] },
    { ...head, choices: [], usage: usageOf(answer) },
  ];
  return {
    begin: begin.map(eventOf),
    rest: rest.map(eventOf),
    finish: [...finish.map(eventOf), { data: "[DONE]" }],
  };
}

function completionOf(answer: Answer, model: string): Json {
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

function errorOf({ type, code, message, param }: Refused): Json {
  return { error: { message, type, param, code } };
}

function eventOf(value: Json): ServerEvent {
  return { data: JSON.stringify(value) };
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
