/**
 * The transcript message that an event creates, if it creates one: host contract, section 6. Pure. Assistant
 * messages and delivered inputs are made elsewhere, because they need more than the event.
 */
import type { DurableEvent } from "../types/events.ts";
import type { Outcome, SessionMessage } from "../types/messages.ts";
import { messageIdOfEvent } from "./host-ids.ts";

export function newMessage(event: DurableEvent): SessionMessage | undefined {
  const base = { id: messageIdOfEvent(event.id), time: { created: event.created } };
  switch (event.type) {
    case "session.synthetic": {
      const { text, description, metadata } = event.data;
      return {
        ...base,
        type: "synthetic",
        text,
        ...(description === undefined ? {} : { description }),
        ...(metadata === undefined ? {} : { metadata }),
      };
    }
    case "session.agent.selected": {
      const { agent, previous } = event.data;
      return {
        ...base,
        type: "agent-switched",
        value: agent,
        ...(previous === undefined ? {} : { previous }),
      };
    }
    case "session.model.selected": {
      const { model, previous } = event.data;
      return {
        ...base,
        type: "model-switched",
        value: model,
        ...(previous === undefined ? {} : { previous }),
      };
    }
    case "session.compaction.started": {
      const { reason, recent, inputID } = event.data;
      return { ...base, id: inputID ?? base.id, type: "compaction", status: "running", reason, recent };
    }
    default: {
      const outcome = outcomeOf(event);
      if (outcome === undefined) return undefined;
      const error = event.type === "session.execution.failed" ? { error: event.data.error } : {};
      return { ...base, type: "idle", outcome, ...error };
    }
  }
}

/** Every terminal event but a shutdown, which is to be resumed, leaves an idle marker (host contract, section 8). */
export function outcomeOf(event: DurableEvent): Outcome | undefined {
  switch (event.type) {
    case "session.execution.succeeded":
      return "succeeded";
    case "session.execution.failed":
      return "failed";
    case "session.execution.interrupted":
      return event.data.reason === "shutdown" ? undefined : "interrupted";
    default:
      return undefined;
  }
}
