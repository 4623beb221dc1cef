/**
 * The durable event log: host contract, section 5.1.
 *
 * One event, one transaction: the next sequence number of the session, the projection, the optional commit hook
 * (claim or release), and the event row. Listeners are told after the commit. Nothing joins an event to its
 * successor except `publishAll`, which the contract allows for inbox delivery.
 */
import type {
  DurableEvent,
  DurableEventMap,
  DurableEventType,
  EphemeralEventMap,
  EphemeralEventType,
  LiveEvent,
} from "../types/events.ts";
import type { Database } from "./database.ts";
import type { Ids } from "./host-ids.ts";
import type { Internals } from "./internals.ts";
import type { Life } from "./life.ts";

/** Types whose payload changed once (host contract, section 5.2); all others are version 1. */
const VERSION_2: ReadonlySet<string> = new Set([
  "session.deleted",
  "session.forked",
  "session.instructions.updated",
  "session.tool.success",
  "session.tool.failed",
]);

export type Publication = {
  [T in DurableEventType]: { type: T; data: DurableEventMap[T] };
}[DurableEventType];

type Projector = (event: DurableEvent) => void;

type EventRow = {
  id: string;
  aggregate_id: string;
  seq: number;
  created: number;
  type: string;
  data: string;
};

type Parts = {
  db: Database;
  ids: Ids;
  life: Life;
  internals: Internals;
  project: Projector;
};

export class EventLog {
  readonly #parts: Parts;
  readonly #listeners = new Set<(event: LiveEvent) => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  publish<T extends DurableEventType>(type: T, data: DurableEventMap[T], commit?: () => void): Promise<void> {
    // A `Publication` is the union over T of exactly this pair; TypeScript cannot see it through the parameter.
    return this.publishAll([{ type, data } as unknown as Publication], commit);
  }

  /** Several events of one session in one transaction, with consecutive numbers. */
  async publishAll(publications: readonly Publication[], commit?: () => void): Promise<void> {
    const { db, life } = this.#parts;
    life.requireNotHalted();
    const events = await db.transaction(() => {
      // Checked again: the host may have been halted while this waited for the permit.
      life.requireNotHalted();
      const written = publications.map((publication) => this.#append(publication));
      commit?.();
      return written;
    });
    for (const event of events) this.#tell(event);
  }

  /** Never stored (host contract, section 5.3). */
  emit<T extends EphemeralEventType>(type: T, data: EphemeralEventMap[T]): void {
    if (!this.#parts.life.halted) this.#tell(this.ephemeral(type, data));
  }

  ephemeral<T extends EphemeralEventType>(type: T, data: EphemeralEventMap[T]): LiveEvent {
    const { ids, internals } = this.#parts;
    return { id: ids.next("evt"), created: internals.clock(), type, data } as LiveEvent;
  }

  listen(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The newest sequence number, or -1 before the first event. */
  lastSeq(aggregateID: string): number {
    const row = this.#parts.db.first<{ seq: number }>(
      "SELECT seq FROM event_sequence WHERE aggregate_id = ?",
      aggregateID,
    );
    return row?.seq ?? -1;
  }

  /** Events after `after` (exclusive) up to `through`, ascending. */
  read(aggregateID: string, after: number, through: number, limit: number): DurableEvent[] {
    return this.#parts.db
      .all<EventRow>(
        `SELECT id, aggregate_id, seq, created, type, data FROM event
         WHERE aggregate_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
        aggregateID,
        after,
        through,
        limit,
      )
      .map(decode);
  }

  /** The event that admitted an input, also after the input has left the inbox (host contract, section 3.3). */
  enqueued(aggregateID: string, inboxID: string): DurableEvent<"session.inbox.enqueued"> | undefined {
    const row = this.#parts.db.first<EventRow>(
      `SELECT id, aggregate_id, seq, created, type, data FROM event
       WHERE aggregate_id = ? AND type = ? AND json_extract(data, '$.inboxID') = ? ORDER BY seq DESC LIMIT 1`,
      aggregateID,
      storedType("session.inbox.enqueued"),
      inboxID,
    );
    return row === undefined ? undefined : (decode(row) as DurableEvent<"session.inbox.enqueued">);
  }

  #append(publication: Publication): DurableEvent {
    const { db, ids, internals, project } = this.#parts;
    const { type, data } = publication;
    const aggregateID = data.sessionID;
    const gap = internals.mutations.has("logSeqGap") && type === "session.tool.called" ? 1 : 0;
    // A fork's log goes on where the copied transcript ends, because copied messages keep their `seq` (3.7).
    const last = type === "session.forked" ? data.boundary : this.lastSeq(aggregateID);
    const seq = last + 1 + gap;
    const version = VERSION_2.has(type) ? 2 : 1;
    const event = {
      id: ids.next("evt"),
      created: internals.clock(),
      type,
      data,
      durable: { aggregateID, seq, version },
    } as DurableEvent;
    project(event);
    db.run(
      `INSERT INTO event_sequence (aggregate_id, seq) VALUES (?, ?)
       ON CONFLICT (aggregate_id) DO UPDATE SET seq = excluded.seq`,
      aggregateID,
      seq,
    );
    db.run(
      "INSERT INTO event (id, aggregate_id, seq, created, type, data) VALUES (?, ?, ?, ?, ?, ?)",
      event.id,
      aggregateID,
      seq,
      event.created,
      storedType(type),
      JSON.stringify(data),
    );
    return event;
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function storedType(type: DurableEventType): string {
  return `${type}.${VERSION_2.has(type) ? 2 : 1}`;
}

function decode(row: EventRow): DurableEvent {
  const split = row.type.lastIndexOf(".");
  return {
    id: row.id,
    created: row.created,
    type: row.type.slice(0, split),
    data: JSON.parse(row.data),
    durable: {
      aggregateID: row.aggregate_id,
      seq: row.seq,
      version: Number(row.type.slice(split + 1)),
    },
  } as DurableEvent;
}
