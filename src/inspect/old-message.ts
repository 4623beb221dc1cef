/**
 * One message as OpenCode's `/session` API gives it, and as it lies in the tables `message` and `part`: what it is (`info`)
 * apart from what it is made of (`parts`).
 */
import type { MessageObservation } from "../trace/index.ts";
import { asObject, asText } from "./foreign.ts";

/** The observation, or null for a value of another shape. */
export function observeOldMessage(
  message: Record<string, unknown>,
  textMax: number,
): MessageObservation | null {
  const info = asObject(message.info);
  const id = asText(info?.id, 200);
  const role = asText(info?.role, 100);
  if (info === null || id === null || role === null || !Array.isArray(message.parts)) return null;
  const parts = message.parts.map(asObject);
  const tools = parts.flatMap((part) => (part?.type === "tool" ? [toolOf(part)] : []));
  const outcome = (info.error ?? null) === null ? asText(info.finish, 40) : "error";
  const text = parts
    .flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
  return {
    id,
    type: role,
    ...(tools.length === 0 ? {} : { tools }),
    ...(outcome === null ? {} : { outcome }),
    ...(text === "" ? {} : { text: asText(text, textMax) ?? "" }),
  };
}

function toolOf(part: Record<string, unknown>): NonNullable<MessageObservation["tools"]>[number] {
  return {
    call: asText(part.callID, 200) ?? "(unreadable)",
    tool: asText(part.tool, 200) ?? "(unreadable)",
    status: asText(asObject(part.state)?.status, 40) ?? "(unreadable)",
  };
}
