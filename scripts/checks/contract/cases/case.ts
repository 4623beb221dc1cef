/** One rule of the host contract, as a check that any host can be put through. */
import type { SessionMessage, ToolPart } from "../../../../src/host/types/messages.ts";
import type { Answer, ModelRequest, Outcome } from "../bench-protocol.ts";
import type { Lab } from "../host-lab.ts";
import type { Question } from "../uncertain-choices.ts";

/** Reports what a host does where published sources leave it open. `detail` is for whoever wants to know more. */
export type Note = (question: Question, observed: string, detail?: string) => void;

export type Case = {
  /** The check (host contract, section 14) that it answers. */
  id?: `check-${number}`;
  /** It asserts nothing and only looks for the answer to this question. */
  answers?: Question;
  /** The rule in words; it is the test's title. */
  name: string;
  /** Section of the host contract. */
  section: string;
  /** It is about the stand-in itself, or needs something of a host that only the stand-in has. */
  needs?: "seams";
  /** Rejects when the rule does not hold. What is uncertain goes to `note`. */
  run(lab: Lab, note: Note): Promise<void>;
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

/** The conversation that the model was shown, without system prompts. */
export function shown(request: ModelRequest | undefined): ModelRequest["body"]["messages"] {
  return request?.body.messages.filter((message) => message.role !== "system") ?? [];
}

/** What a call threw, in a word. */
export function tagOf(outcome: Outcome): string {
  if (outcome.ok) return "nothing";
  const { value } = outcome;
  return typeof value === "object" && value !== null && "_tag" in value ? String(value._tag) : String(value);
}

/** Whether the work ended in time. Never for what is asserted: nothing of that may rest on a clock. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  // It may still fail long after anybody is interested, when the lab is stopped.
  const done = work.then(() => true);
  done.catch(() => undefined);
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
