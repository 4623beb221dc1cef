/**
 * What each event of a step does to its assistant message: the table and rules (host contract, section 6).
 * Pure: message and event in, message out.
 */
import type { DurableEvent, DurableEventMap, DurableEventType } from "../types/events.ts";
import type { AssistantMessage, AssistantPart, ToolPart, ToolState } from "../types/messages.ts";

export type AssistantEventType = {
  [T in DurableEventType]: DurableEventMap[T] extends { assistantMessageID: string } ? T : never;
}[DurableEventType];
export type AssistantEvent = DurableEvent<AssistantEventType>;

export function isAssistantEvent(event: DurableEvent): event is AssistantEvent {
  return "assistantMessageID" in event.data;
}

export function newAssistant(event: DurableEvent<"session.step.started">): AssistantMessage {
  const { assistantMessageID, agent, model, started } = event.data;
  return {
    id: assistantMessageID,
    type: "assistant",
    agent,
    model,
    content: [],
    time: { created: started },
  };
}

export function updateAssistant(message: AssistantMessage, event: AssistantEvent): AssistantMessage {
  const { created } = event;
  switch (event.type) {
    case "session.step.started": {
      // A retry of the same step begins anew under the same id.
      const { error: _error, finish: _finish, rawFinish: _raw, ...rest } = message;
      return { ...rest, time: { created: message.time.created } };
    }
    case "session.step.streamed":
      return { ...message, time: { ...message.time, streamed: created } };
    case "session.step.ended": {
      const { finish, rawFinish, cost, tokens } = event.data;
      return {
        ...message,
        finish,
        ...(rawFinish === undefined ? {} : { rawFinish }),
        cost,
        tokens,
        time: { ...message.time, completed: created },
      };
    }
    case "session.step.failed": {
      const { error, finish } = event.data;
      return {
        ...message,
        error,
        ...(finish === undefined ? {} : { finish }),
        time: { ...message.time, completed: created },
      };
    }
    case "session.text.started":
      return append(message, { type: "text", text: "" });
    case "session.text.ended":
      return replaceNth(message, "text", event.data.ordinal, () => ({ type: "text", text: event.data.text }));
    case "session.reasoning.started":
      return append(message, { type: "reasoning", text: "", time: { created } });
    case "session.reasoning.ended":
      return replaceNth(message, "reasoning", event.data.ordinal, (part) => ({
        type: "reasoning",
        text: event.data.text,
        time: { created: part.time?.created ?? created, completed: created },
      }));
    case "session.tool.input.started":
      return append(message, {
        type: "tool",
        id: event.data.id,
        name: event.data.name,
        state: { status: "streaming", input: "" },
        time: { created },
      });
    case "session.tool.input.ended":
    case "session.tool.called":
    case "session.tool.success":
    case "session.tool.failed":
      return {
        ...message,
        content: message.content.map((part) =>
          part.type === "tool" && part.id === event.data.id ? updateTool(part, event) : part,
        ),
      };
    case "session.retry.scheduled": {
      const { attempt, at, error } = event.data;
      return { ...message, retry: { attempt, at, error } };
    }
  }
}

type ToolEvent = DurableEvent<
  "session.tool.input.ended" | "session.tool.called" | "session.tool.success" | "session.tool.failed"
>;

function updateTool(part: ToolPart, event: ToolEvent): ToolPart {
  const { created } = event;
  switch (event.type) {
    case "session.tool.input.ended":
      return { ...part, state: { status: "streaming", input: event.data.text } };
    case "session.tool.called":
      return {
        ...part,
        executed: event.data.executed,
        state: { status: "running", input: event.data.input, metadata: {} },
        time: { ...part.time, ran: created },
      };
    case "session.tool.success": {
      const { content, metadata } = event.data;
      const state: ToolState = {
        status: "completed",
        input: objectInput(part.state),
        content,
        ...(metadata === undefined ? {} : { metadata }),
      };
      return { ...part, state, time: { ...part.time, completed: created } };
    }
    case "session.tool.failed": {
      const { error, content, metadata } = event.data;
      const state: ToolState = {
        status: "error",
        input: objectInput(part.state),
        error,
        ...(content === undefined ? {} : { content }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      return { ...part, state, time: { ...part.time, completed: created } };
    }
  }
}

/** A call that never got its whole input has none: `{}`. */
function objectInput(state: ToolState): Record<string, unknown> {
  return state.status === "streaming" ? {} : state.input;
}

function append(message: AssistantMessage, part: AssistantPart): AssistantMessage {
  return { ...message, content: [...message.content, part] };
}

function replaceNth<T extends "text" | "reasoning">(
  message: AssistantMessage,
  type: T,
  ordinal: number,
  replace: (part: Extract<AssistantPart, { type: T }>) => AssistantPart,
): AssistantMessage {
  let seen = -1;
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== type) return part;
      seen += 1;
      return seen === ordinal ? replace(part as Extract<AssistantPart, { type: T }>) : part;
    }),
  };
}
