/**
 * One message as the AI SDK keeps it (`UIMessage`) or as a harness on it shows it to a watcher: a role and parts. Tool
 * parts are named `tool-<name>`, `dynamic-tool` or `tool`, and their state is the AI SDK's own word.
 */
import type { MessageObservation } from "../trace/index.ts";
import { asObject, asText } from "./foreign.ts";

/** The observation, or null for a value of another shape. */
export function observeUiMessage(
  message: Record<string, unknown>,
  textMax: number,
): MessageObservation | null {
  const id = asText(message.id, 200);
  const role = asText(message.role, 100);
  if (id === null || role === null || !Array.isArray(message.parts)) return null;
  const parts = message.parts.map(asObject);
  const text = parts
    .flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("");
  const tools = parts.flatMap((part) => (part === null ? [] : toolOf(part)));
  return {
    id,
    type: role,
    ...(tools.length === 0 ? {} : { tools }),
    ...(text === "" ? {} : { text: asText(text, textMax) ?? "" }),
  };
}

function toolOf(part: Record<string, unknown>): NonNullable<MessageObservation["tools"]> {
  const type = asText(part.type, 200) ?? "";
  if (!("toolCallId" in part) || !/^(tool|tool-.+|dynamic-tool)$/.test(type)) return [];
  const named = type.startsWith("tool-") ? type.slice("tool-".length) : part.toolName;
  return [
    {
      call: asText(part.toolCallId, 200) ?? "(unreadable)",
      tool: asText(named, 100) ?? "(unreadable)",
      status: asText(part.state, 40) ?? "(unreadable)",
    },
  ];
}
