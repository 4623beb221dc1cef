/**
 * Events to rows, inside the event's own transaction: host contract, sections 5.1 and 6.
 */
import type { DurableEvent } from "../types/events.ts";
import type { CompactionMessage } from "../types/messages.ts";
import { messageIdOfEvent } from "./host-ids.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { MessageStore } from "./message-store.ts";
import { type AssistantEvent, isAssistantEvent, newAssistant, updateAssistant } from "./message-updater.ts";
import { newMessage, outcomeOf } from "./new-message.ts";
import type { SessionStore } from "./session-store.ts";

type Stores = { sessions: SessionStore; messages: MessageStore; inbox: InboxStore };

export function createProjector(stores: Stores): (event: DurableEvent) => void {
  return (event) => {
    projectSession(stores, event);
    projectInbox(stores, event);
    if (isAssistantEvent(event)) projectAssistant(stores, event);
    if (event.type === "session.forked") projectFork(stores, event);
    if (event.type === "session.compaction.ended" || event.type === "session.compaction.failed")
      projectCompactionEnd(stores, event);
    const created = newMessage(event);
    if (created !== undefined)
      stores.messages.insert(event.data.sessionID, event.durable.seq, created, event.created);
  };
}

function projectSession({ sessions }: Stores, event: DurableEvent): void {
  const { sessionID } = event.data;
  sessions.touch(sessionID, event.created);
  switch (event.type) {
    case "session.created":
      sessions.insert(event);
      break;
    case "session.forked":
      sessions.insertFork(event);
      break;
    case "session.agent.selected":
      sessions.setAgent(sessionID, event.data.agent);
      break;
    case "session.model.selected":
      sessions.setModel(sessionID, event.data.model);
      break;
    case "session.renamed":
      sessions.setTitle(sessionID, event.data.title);
      break;
    case "session.usage.recorded":
    case "session.step.ended":
      sessions.addUsage(sessionID, event.data.cost, event.data.tokens);
      break;
    default: {
      const outcome = outcomeOf(event);
      if (outcome !== undefined) sessions.setIdle(sessionID, outcome, event.created);
    }
  }
}

function projectInbox({ inbox, messages }: Stores, event: DurableEvent): void {
  switch (event.type) {
    case "session.inbox.enqueued": {
      const { sessionID, inboxID, item } = event.data;
      inbox.insert(sessionID, inboxID, item, event.durable.seq, event.created);
      break;
    }
    case "session.inbox.cancelled":
      inbox.remove(event.data.inboxID);
      break;
    case "session.inbox.delivery.changed":
      inbox.setDelivery(event.data.inboxID, event.data.delivery);
      break;
    case "session.inbox.delivered": {
      const { sessionID, inboxID } = event.data;
      const item = inbox.find(inboxID);
      if (item === undefined) throw new Error(`Delivered ${inboxID} is not in the inbox`);
      inbox.remove(inboxID);
      // A compaction's own message is made by compaction.started, in the same transaction.
      if (item.type !== "user" && item.type !== "synthetic") break;
      const base = { id: inboxID, time: { created: event.created } };
      const message = { ...base, type: item.type, ...item.payload };
      messages.insert(sessionID, event.durable.seq, message, event.created);
      break;
    }
    default:
  }
}

function projectAssistant({ messages }: Stores, event: AssistantEvent): void {
  const { sessionID, assistantMessageID } = event.data;
  const existing = messages.assistant(assistantMessageID);
  if (existing !== undefined) {
    messages.update(updateAssistant(existing, event), event.created);
    return;
  }
  if (event.type !== "session.step.started")
    throw new Error(`${event.type} before the step of ${assistantMessageID} started`);
  // A new answer closes the one that a crash left open: no finish, no error.
  for (const open of messages.ofType(sessionID, "assistant")) {
    if (open.time.completed !== undefined) continue;
    messages.update({ ...open, time: { ...open.time, completed: event.created } }, event.created);
  }
  messages.insert(sessionID, event.durable.seq, newAssistant(event), event.created);
}

function projectCompactionEnd(
  { messages }: Stores,
  event: DurableEvent<"session.compaction.ended" | "session.compaction.failed">,
): void {
  const running = messages
    .ofType(event.data.sessionID, "compaction")
    .findLast((message) => message.status === "running");
  if (running === undefined) return;
  const ended: CompactionMessage =
    event.type === "session.compaction.failed"
      ? { ...running, status: "failed", error: event.data.error }
      : {
          ...running,
          status: "completed",
          summary: event.data.text,
          recent: event.data.recent,
          ...(event.data.model === undefined ? {} : { model: event.data.model }),
          ...(event.data.tokens === undefined ? {} : { tokens: event.data.tokens }),
        };
  messages.update(ended, event.created);
}

/** Messages up to the boundary, without unfinished work, with their `seq` and derived ids (host contract, section 3.7). */
function projectFork({ messages }: Stores, event: DurableEvent<"session.forked">): void {
  const { sessionID, parentID, boundary } = event.data;
  for (const { seq, message } of messages.all(parentID)) {
    if (seq > boundary) break;
    if (message.type === "assistant" && message.time.completed === undefined) continue;
    if (message.type === "compaction" && message.status === "running") continue;
    if (message.type === "shell" && message.time.completed === undefined) continue;
    const id = `${messageIdOfEvent(event.id)}_${seq}`;
    messages.insert(sessionID, seq, { ...message, id }, event.created);
  }
}
