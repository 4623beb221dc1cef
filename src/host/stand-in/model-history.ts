/**
 * What the model sees: host contract, section 9.4. Pure: transcript in, chat messages out.
 */
import type { AssistantMessage, SessionMessage, ToolContent, ToolPart } from "../types/messages.ts";

type ChatToolCall = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};

export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: ChatToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

export function toChatMessages(messages: readonly SessionMessage[]): ChatMessage[] {
  return messages.flatMap(toChat);
}

function toChat(message: SessionMessage): ChatMessage[] {
  switch (message.type) {
    case "user": {
      const files = message.files?.map((file) => `\n[attached: ${file.name ?? file.uri}]`).join("") ?? "";
      return [{ role: "user", content: `${message.text}${files}` }];
    }
    case "synthetic":
      return [{ role: "user", content: message.text }];
    case "system":
      return [{ role: "system", content: message.text }];
    case "skill":
      return [{ role: "user", content: message.text }];
    case "shell":
      return [{ role: "user", content: `$ ${message.command}\n${message.output ?? ""}` }];
    case "compaction":
      // Only a finished one is a checkpoint; a running or failed one says nothing.
      return message.status === "completed"
        ? [{ role: "user", content: checkpoint(message.summary ?? "", message.recent) }]
        : [];
    case "assistant":
      return assistant(message);
    case "idle":
    case "agent-switched":
    case "model-switched":
    case "location-switched":
      return [];
  }
}

function assistant(message: AssistantMessage): ChatMessage[] {
  const cutOff = message.finish === undefined;
  const text: string[] = [];
  const calls: ToolPart[] = [];
  for (const part of message.content) {
    if (part.type === "tool") calls.push(part);
    else if (part.type === "text") text.push(part.text);
    // Finished reasoning is the provider's own affair; of an answer that was cut off it is all there is.
    else if (cutOff) text.push(part.text);
  }
  const content = text.filter((part) => part !== "").join("\n\n");
  if (content === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
    },
    ...calls.map((part): ChatMessage => ({ role: "tool", tool_call_id: part.id, content: toolResult(part) })),
  ];
}

function toCall(part: ToolPart): ChatToolCall {
  const input = part.state.status === "streaming" ? {} : part.state.input;
  return { id: part.id, type: "function", function: { name: part.name, arguments: JSON.stringify(input) } };
}

/** Every call has a result; an interrupted one has the error it was settled with. */
function toolResult(part: ToolPart): string {
  const { state } = part;
  switch (state.status) {
    case "completed":
      return contentText(state.content);
    case "error": {
      const error = `Error: ${state.error.message}`;
      return state.content === undefined ? error : `${error}\n${contentText(state.content)}`;
    }
    case "streaming":
    case "running":
      return "Error: no result";
  }
}

function contentText(content: readonly ToolContent[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[file: ${part.uri}]`)).join("\n");
}

function checkpoint(summary: string, recent: string): string {
  return `Summary of the conversation so far:\n${summary}${recent === "" ? "" : `\n\nMost recent messages:\n${recent}`}`;
}
