/**
 * Raw messages in, observations out, in the order given: OpenCode's of both generations, or those of a harness on the AI
 * SDK. A message that cannot be read becomes an observation of type `unreadable`. Every type that a later version adds is
 * kept under its own name.
 */
import type { HashText, MessageObservation } from "../trace/index.ts";
import { contentHash } from "./content-hash.ts";
import { asObject, asText } from "./foreign.ts";
import { observeOldMessage } from "./old-message.ts";
import { observeUiMessage } from "./ui-message.ts";

const TEXT_MAX = 2_000;

/** Without `hash`, observations carry none. */
export function inspectTranscript(messages: readonly unknown[], hash?: HashText): MessageObservation[] {
  return messages.map((message, index) => ({
    ...observe(message, index),
    ...(hash === undefined ? {} : { hash: contentHash(message, hash) }),
  }));
}

function observe(value: unknown, index: number): MessageObservation {
  const message = asObject(value);
  const id = asText(message?.id, 200);
  const type = asText(message?.type, 100);
  const other =
    message === null || type !== null
      ? null
      : (observeUiMessage(message, TEXT_MAX) ?? observeOldMessage(message, TEXT_MAX));
  if (other !== null) return other;
  if (message === null || id === null || type === null)
    return {
      id: id ?? `(message ${index})`,
      type: "unreadable",
      text: "not an object with the texts id and type, or id, role and parts",
    };
  const parts = type === "assistant" ? partsOf(message.content) : null;
  const text = parts === null ? asText(message.text, TEXT_MAX) : asText(textOf(parts), TEXT_MAX);
  const tools = (parts ?? []).flatMap(toolOf);
  const outcome = outcomeOf(type, message);
  return {
    id,
    type,
    ...(tools.length === 0 ? {} : { tools }),
    ...(outcome === null ? {} : { outcome }),
    ...(text === null ? {} : { text }),
  };
}

/** How a turn ended (`idle`), how a step ended (`assistant`), how a compaction stands. */
function outcomeOf(type: string, message: Record<string, unknown>): string | null {
  if (type === "idle") return asText(message.outcome, 40);
  if (type === "compaction") return asText(message.status, 40);
  if (type === "assistant")
    return message.error === undefined || message.error === null ? asText(message.finish, 40) : "error";
  return null;
}

function partsOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [];
}

function textOf(parts: readonly unknown[]): string {
  return parts
    .map(asObject)
    .flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("");
}

function toolOf(value: unknown): NonNullable<MessageObservation["tools"]> {
  const part = asObject(value);
  if (part?.type !== "tool") return [];
  return [
    {
      call: asText(part.id, 200) ?? asText(part.callID, 200) ?? "(unreadable)",
      tool: asText(part.name, 200) ?? asText(part.tool, 200) ?? "(unreadable)",
      status: asText(asObject(part.state)?.status, 40) ?? "(unreadable)",
    },
  ];
}
