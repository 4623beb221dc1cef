/**
 * Admission and delivery of inputs: host contract, sections 3.3, 3.4 and 7.
 */
import type { Delivery, InboxItem, InboxItemBody, InboxType } from "../types/inbox-types.ts";
import type { SessionMessage } from "../types/messages.ts";
import type { EventLog, Publication } from "./event-log.ts";
import { conflict } from "./host-errors.ts";
import type { Ids } from "./host-ids.ts";
import type { InboxStore } from "./inbox-store.ts";
import type { Internals } from "./internals.ts";
import type { MessageStore } from "./message-store.ts";
import { type Boundary, isControl, promotable } from "./promotion.ts";

type Parts = { log: EventLog; store: InboxStore; messages: MessageStore; ids: Ids; internals: Internals };

export class Inbox {
  readonly #parts: Parts;
  /** Admissions of one host happen one after another, so that look-up and enqueue cannot interleave. */
  #admitting: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(sessionID: string): InboxItem[] {
    return this.#parts.store.list(sessionID);
  }

  /**
   * Idempotent by id: an input that is pending, or was delivered in this session, comes back as first admitted.
   *
   * @throws ConflictError when the id belongs to another session or another kind of item.
   */
  admit(sessionID: string, id: string | undefined, body: InboxItemBody): Promise<InboxItem> {
    const admission = this.#admitting.then(() => this.#admit(sessionID, id, body));
    this.#admitting = admission.catch(() => undefined);
    return admission;
  }

  async #admit(sessionID: string, id: string | undefined, body: InboxItemBody): Promise<InboxItem> {
    const { log, store, ids, internals } = this.#parts;
    let inboxID = id ?? ids.next("msg");
    const known = this.#known(sessionID, inboxID, body.type);
    if (known !== undefined) {
      if (!internals.mutations.has("promptNotIdempotent")) return known;
      inboxID = ids.next("msg");
    }
    await log.publish("session.inbox.enqueued", { sessionID, inboxID, item: body });
    const item = store.find(inboxID) ?? this.#known(sessionID, inboxID, body.type);
    if (item === undefined) throw new Error(`Admitted ${inboxID} cannot be found`);
    return item;
  }

  #known(sessionID: string, id: string, type: InboxType): InboxItem | undefined {
    const { store, messages, log } = this.#parts;
    const pending = store.find(id);
    if (pending !== undefined) {
      if (pending.sessionID !== sessionID || pending.type !== type) throw conflict(id);
      return pending;
    }
    const delivered = messages.find(id);
    if (delivered === undefined) return undefined;
    if (delivered.sessionID !== sessionID || delivered.message.type !== type) throw conflict(id);
    const enqueued = log.enqueued(sessionID, id);
    return enqueued === undefined
      ? fromMessage(sessionID, delivered.message)
      : ({ id, sessionID, timeCreated: enqueued.created, ...enqueued.data.item } as InboxItem);
  }

  /** Gone items are no error (newest reading). */
  async cancel(sessionID: string, inboxID: string): Promise<void> {
    if (this.#parts.store.find(inboxID)?.sessionID !== sessionID) return;
    await this.#parts.log.publish("session.inbox.cancelled", { sessionID, inboxID });
  }

  async redeliver(sessionID: string, inboxID: string, delivery: Delivery): Promise<void> {
    if (this.#parts.store.find(inboxID)?.sessionID !== sessionID) return;
    await this.#parts.log.publish("session.inbox.delivery.changed", { sessionID, inboxID, delivery });
  }

  /** What the next idle boundary would take. */
  next(sessionID: string): InboxItem | undefined {
    return promotable(this.list(sessionID), "idle")[0];
  }

  /**
   * Delivers what the boundary allows, in one transaction. A control item is returned undelivered: its delivery
   * belongs to the same transaction as the start of what it asks for.
   */
  async promote(sessionID: string, boundary: Boundary): Promise<InboxItem[]> {
    const items = promotable(this.list(sessionID), boundary);
    if (items.length === 0 || items.some(isControl)) return items;
    await this.#parts.log.publishAll(items.map((item) => delivery(item)));
    // Steers that arrived while a queued item was being delivered join it.
    if (boundary === "idle" && items[0]?.delivery === "queue") {
      return [...items, ...(await this.promote(sessionID, "step"))];
    }
    return items;
  }
}

export function delivery(item: InboxItem): Publication {
  return { type: "session.inbox.delivered", data: { sessionID: item.sessionID, inboxID: item.id } };
}

/** A fork's inputs have no admission of their own; the message tells all that is left of it. */
function fromMessage(sessionID: string, message: SessionMessage): InboxItem | undefined {
  const common = { id: message.id, sessionID, timeCreated: message.time.created, delivery: "steer" } as const;
  if (message.type === "user" || message.type === "synthetic") {
    const { id: _id, time: _time, type, ...payload } = message;
    return { ...common, type, payload } as InboxItem;
  }
  if (message.type === "compaction") return { ...common, type: "compaction", payload: {} };
  return undefined;
}
