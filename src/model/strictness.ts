/**
 * Which conversations a real provider refuses. A host that lost its place and sends a damaged history must
 * meet the refusal that it would meet in production.
 */
import type { Message } from "./request.ts";

export type Breach = {
  readonly code:
    | "no-user-message"
    | "dangling-tool-call"
    | "orphan-tool-result"
    | "misplaced-tool-result"
    | "duplicate-tool-result"
    | "duplicate-call-id";
  readonly message: string;
};

/** The first breach in message order; null for a legal conversation. */
export function findBreach(messages: readonly Message[]): Breach | null {
  if (!messages.some((message) => message.role === "user"))
    return { code: "no-user-message", message: "The conversation has no user message." };

  const answeredLater = new Set(messages.flatMap((m) => (m.role === "tool" ? [m.tool_call_id] : [])));
  const seen = new Set<string>();
  /** Calls of the last assistant message that have no result yet. */
  let open = new Set<string>();

  const unanswered = (where: string): Breach | null => {
    const [call] = open;
    if (call === undefined) return null;
    // A result that exists but stands elsewhere is a mistake of order, not of omission.
    return answeredLater.has(call)
      ? {
          code: "misplaced-tool-result",
          message: `The result of tool call ${call} must directly follow the assistant message that made it, but ${where}.`,
        }
      : {
          code: "dangling-tool-call",
          message: `Tool call ${call} has no result: ${where}.`,
        };
  };

  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const call = message.tool_call_id;
      if (open.delete(call)) {
        answeredLater.delete(call);
        continue;
      }
      return seen.has(call)
        ? { code: "duplicate-tool-result", message: `Message ${index} answers tool call ${call} again.` }
        : {
            code: "orphan-tool-result",
            message: `Message ${index} answers ${call}, which nothing called before it.`,
          };
    }
    const breach = unanswered(`message ${index} is of role ${message.role}`);
    if (breach !== null) return breach;
    if (message.role !== "assistant") continue;
    open = new Set();
    for (const { id } of message.tool_calls) {
      if (seen.has(id))
        return { code: "duplicate-call-id", message: `Message ${index} uses the tool call id ${id} again.` };
      seen.add(id);
      open.add(id);
    }
  }
  return unanswered("the conversation ends");
}
