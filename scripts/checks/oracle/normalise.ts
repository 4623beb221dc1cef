/**
 * Everything that is taken away before the two sides are compared, each with its reason. What is not listed here is
 * compared as it is; a difference that means something belongs in known-differences.ts, never here.
 */
import { z } from "zod";
import type { Message } from "../../../src/model/request.ts";
import type { EventLabel } from "./observation.ts";

export const NORMALISATIONS = [
  {
    what: "the event prefix `session.next.` or `session.`",
    why: "1.18 names its new core apart from its old one",
  },
  { what: "ids of events, messages and sessions", why: "both sides make them from clock and chance" },
  { what: "times", why: "two processes, two clocks; nothing here asserts a duration" },
  { what: "the text of system prompts", why: "it describes the machine and the agent, not the protocol" },
  {
    what: "everything after the first line of a tool result in a conversation",
    why: "the tool is the server's own `bash` on one side and a stand-in for it on the other",
  },
  {
    what: "the form in which a conversation words a failed tool result, down to the error's message",
    why: "it would repeat one difference in every conversation; the rules `*.result` compare it as it is",
  },
  {
    what: "the words of the notice that a restarted host gives the model",
    why: "they are the stand-in's own; that there is one, and where, is compared",
  },
  { what: "the address of the scripted world in tool arguments", why: "it is a free port" },
  {
    what: "white space between JSON tokens of tool arguments shown to the model",
    why: "both sides parse and print them again",
  },
] as const;

export const LoggedEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  durable: z.object({ aggregateID: z.string(), seq: z.number(), version: z.number() }),
  data: z.record(z.string(), z.unknown()),
});
export type LoggedEvent = z.infer<typeof LoggedEvent>;

export function nameOf(type: string): string {
  return type.replace(/^session\.(next\.)?/, "");
}

const Detailed = z.looseObject({
  id: z.string().optional(),
  callID: z.string().optional(),
  finish: z.string().optional(),
  inboxID: z.string().optional(),
  messageID: z.string().optional(),
  prompt: z.object({ text: z.string() }).optional(),
  item: z.looseObject({ payload: z.looseObject({ text: z.string().optional() }) }).optional(),
});

/**
 * Labels of a log in order. Inputs are told apart by their text, calls by the id that the model gave them, ends of
 * steps by their finish.
 */
export function labelsOf(events: readonly LoggedEvent[]): EventLabel[] {
  const texts = new Map<string, string>();
  return events.map((event) => {
    const name = nameOf(event.type);
    const data = Detailed.parse(event.data);
    const input = data.inboxID ?? (name.startsWith("prompt") ? data.messageID : undefined);
    if (input !== undefined) {
      const text = data.prompt?.text ?? data.item?.payload.text;
      if (text !== undefined) texts.set(input, text);
      return { name, detail: texts.get(input) ?? "an input unknown to the log" };
    }
    if (name.startsWith("tool.")) return { name, detail: data.id ?? data.callID ?? "" };
    return { name, detail: name === "step.ended" ? (data.finish ?? "") : "" };
  });
}

export function show(label: EventLabel): string {
  return label.detail === "" ? label.name : `${label.name} (${label.detail})`;
}

/** No prompt of a scenario says this. */
const RESTART_NOTICE = /\brestarted\b/;

/** A conversation as the model was shown it, one line a message. */
export function shownOf(messages: readonly Message[], worldUrl: string): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case "user":
        return `user: ${RESTART_NOTICE.test(message.content) ? "<restart notice>" : message.content}`;
      case "assistant":
        return [
          "assistant:",
          ...(message.content === "" ? [] : [message.content]),
          ...message.tool_calls.map(
            (call) => `${call.id} ${call.function.name} ${argumentsOf(call.function.arguments, worldUrl)}`,
          ),
        ].join(" ");
      case "tool":
        return `tool ${message.tool_call_id}: ${resultOf(message.content)}`;
      default:
        return "system";
    }
  });
}

function argumentsOf(text: string, worldUrl: string): string {
  const compact = (() => {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  })();
  return compact.replaceAll(worldUrl, "<world>");
}

function resultOf(text: string): string {
  const firstLine = text.split("\n")[0] ?? "";
  const message = errorMessageOf(text);
  return message === null ? firstLine : `error: ${message}`;
}

const ErrorResult = z.looseObject({ error: z.looseObject({ message: z.string() }) });

function errorMessageOf(text: string): string | null {
  try {
    return ErrorResult.parse(JSON.parse(text)).error.message;
  } catch {
    return /^Error: (.*)$/s.exec(text)?.[1] ?? null;
  }
}
