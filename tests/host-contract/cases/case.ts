/** One rule of the host contract, as a check that any host can be put through. */
import type { SessionMessage, ToolPart } from "../../../src/host/types/messages.ts";
import type { Lab } from "../lab.ts";
import type { Answer } from "../protocol.ts";

export type Case = {
  /** The rule in words; it is the test's title. */
  name: string;
  /** Section of the host contract. */
  section: string;
  /** The case needs crash points or shortened delays, which only the stand-in has. */
  needs?: "seams";
  run(lab: Lab): Promise<void>;
};

export const ROOT = { sessionID: "ses_root" };

/** An answer that calls one tool. */
export function calls(name: string, id = "call_1", order = "a"): Answer {
  return { calls: [{ id, name, arguments: JSON.stringify({ order }) }] };
}

export function says(...text: string[]): Answer {
  return { text };
}

/** Every tool part of the transcript, in order. */
export function toolParts(messages: readonly SessionMessage[]): ToolPart[] {
  return messages.flatMap((message) =>
    message.type === "assistant" ? message.content.filter((part) => part.type === "tool") : [],
  );
}

export function ofType<T extends SessionMessage["type"]>(messages: readonly SessionMessage[], type: T) {
  return messages.filter((message): message is Extract<SessionMessage, { type: T }> => message.type === type);
}

/** What is left after the first item that equals `first`, that one included. */
export function from(types: readonly string[], first: string, nth = 1): string[] {
  let at = -1;
  for (let seen = 0; seen < nth; seen++) at = types.indexOf(first, at + 1);
  return at === -1 ? [] : types.slice(at);
}
