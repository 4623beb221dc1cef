/**
 * Who is running: the identity of one activation of one object, and the beacon that tells the journal.
 *
 * On every activation, before anything else runs, a durable generation counter is raised and a beacon is put into
 * an outbox in the object's own SQLite in the same transaction; then the beacon is sent. If the ledger cannot be
 * reached the object goes on (the thing under test must not depend on the kit), and the beacon is sent later,
 * marked `late`, so a missing activation record always means that the storage or the ledger was lost.
 *
 * Leaves to others: why the activation happened (whoever enters the object notes its entry point).
 */
import type { LedgerLink } from "../link/ledger-link.ts";
import type { CallerIdentity } from "../plugin/ledger-tools.ts";
import type { RecordDraft } from "../trace/records.ts";
import { RecordDraft as RecordDraftSchema } from "../trace/records.ts";
import type { HostIdentity } from "../trace/spec.ts";
import { ledgerOf } from "./links.ts";
import type { SubjectEnv } from "./subject-env.ts";
import { errorText, type Owner, stackLines, type Where } from "./uncaught.ts";

/** How long an activation waits for its beacon to be taken, in ms; then it starts without. */
const BEACON_WAIT_MS = 3_000;
/** How long a rejected promise may wait for whoever takes it, in ms, before it counts as caught by nobody. */
const TAKEN_WITHIN_MS = 500;
/** Most uncaught exceptions of one activation that the journal is told. */
const UNCAUGHT_MAX = 20;

export type ActivationCause = "fetch" | "alarm" | "rpc" | "websocket" | "unknown";

/**
 * Random id of this isolate: the same after `ctx.abort()`, another one after the process died or the code was
 * replaced. Made on first use, because Workers may not make random values at start-up.
 */
let isolateId: string | undefined;
export function isolate(): string {
  isolateId ??= crypto.randomUUID();
  return isolateId;
}

/** What the kit keeps in the object's storage. */
const TABLES = [
  { name: "kit_identity", columns: "key TEXT PRIMARY KEY, value TEXT NOT NULL" },
  {
    name: "kit_outbox",
    columns: "activation TEXT PRIMARY KEY, record TEXT NOT NULL, sent INTEGER NOT NULL",
  },
] as const;

type ActivationOptions = {
  readonly ctx: DurableObjectState;
  readonly env: Pick<SubjectEnv, "LEDGER" | "KIT_SECRET" | "KIT_BUILD" | "CF_VERSION_METADATA">;
  readonly trial: string;
  /** What runs the agent. */
  readonly host: HostIdentity;
};

/** One activation. Made when its object is constructed, begun once before other work. */
export class Activation implements Owner {
  readonly id: string = crypto.randomUUID();
  #cause: ActivationCause = "unknown";
  #generation = 0;
  readonly #options: ActivationOptions;
  readonly #storage: DurableObjectStorage;
  readonly #ledger: LedgerLink;
  #begun: Promise<void> | undefined;
  #failures = 0;
  #uncaught = 0;

  constructor(options: ActivationOptions) {
    this.#options = options;
    this.#storage = options.ctx.storage;
    this.#ledger = ledgerOf(options.env, options.trial);
  }

  get trial(): string {
    return this.#options.trial;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Notes what woke the object; only the first word counts. */
  enteredBy(cause: ActivationCause): void {
    if (this.#cause === "unknown") this.#cause = cause;
  }

  /** Counts and announces this activation, once. Resolves when the beacon was taken or its wait ran out. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin();
    return this.#begun;
  }

  /** This activation's identity, after every beacon still in the outbox was sent again. */
  async identify(): Promise<CallerIdentity> {
    await this.begin();
    await this.#flush();
    return { activation: this.id, generation: this.#generation };
  }

  /** Counts a request of the kit's, durably, and gives the number of all so far. */
  countRequest(): number {
    const count = Number(this.#read("requests") ?? 0) + 1;
    this.#write("requests", String(count));
    return count;
  }

  /** Tells the journal of something that happened in this activation. Never throws: the subject must not depend on it. */
  async note(name: string, record: RecordDraft): Promise<void> {
    try {
      await this.#ledger.append(`${name}:${this.id}`, record, {
        signal: AbortSignal.timeout(BEACON_WAIT_MS),
      });
    } catch (error) {
      console.warn(`${record.type} of activation ${this.id} was not taken: ${String(error)}`);
    }
  }

  /** The object could not do what it was started for, or its handler threw. Each time is told: it may be tried again. */
  failed(error: unknown): Promise<void> {
    this.#failures += 1;
    return this.note(this.#failures === 1 ? "failed" : `failed-${this.#failures}`, {
      source: "subject",
      type: "activation.failed",
      activation: this.id,
      generation: this.#generation === 0 ? null : this.#generation,
      cause: this.#cause,
      error: errorText(error),
      stack: stackLines(error),
      because: null,
    });
  }

  uncaught(where: Where, error: unknown, isCaught: () => boolean = () => false): void {
    this.#options.ctx.waitUntil(this.#noteUncaught(where, error, isCaught).catch(() => undefined));
  }

  async #noteUncaught(where: Where, error: unknown, isCaught: () => boolean): Promise<void> {
    if (where === "promise") await scheduler.wait(TAKEN_WITHIN_MS);
    if (isCaught() || this.#uncaught >= UNCAUGHT_MAX) return;
    this.#uncaught += 1;
    await this.note(`uncaught-${this.#uncaught}`, {
      source: "subject",
      type: "worker.exception",
      activation: this.id,
      generation: this.#generation === 0 ? null : this.#generation,
      ordinal: this.#uncaught,
      where,
      error: errorText(error),
      stack: stackLines(error),
      because: null,
    });
  }

  /** The durable marker, or null when it was never written or is gone. */
  readMarker(): string | null {
    const value = this.#read("marker");
    return value === undefined ? null : value;
  }

  writeMarker(marker: string): void {
    this.#write("marker", marker);
  }

  /** A small durable setting of the kit, beside the marker. */
  readSetting(key: string): string | undefined {
    return this.#read(`setting:${key}`);
  }

  writeSetting(key: string, value: string): void {
    this.#write(`setting:${key}`, value);
  }

  /** Has the kit's own tables outlive what deletes all others: that an object forgets is no loss of its storage. */
  outlive(wipe: () => Promise<void>): Promise<void> {
    const kept = TABLES.map(({ name, columns }) => ({ name, columns, rows: this.#rowsOf(name) }));
    const wiped = wipe();
    for (const { name, columns, rows } of kept) {
      if (rows === null) continue;
      this.#storage.sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
      for (const row of rows) {
        const places = Object.keys(row).map(() => "?");
        this.#storage.sql.exec(`INSERT INTO ${name} VALUES (${places.join(", ")})`, ...Object.values(row));
      }
    }
    return wiped;
  }

  #rowsOf(table: string): Record<string, SqlStorageValue>[] | null {
    try {
      return this.#storage.sql.exec(`SELECT * FROM ${table}`).toArray();
    } catch {
      return null;
    }
  }

  async #begin(): Promise<void> {
    const { ctx, env, host } = this.#options;
    const { sql } = this.#storage;
    for (const { name, columns } of TABLES) sql.exec(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`);
    this.#storage.transactionSync(() => {
      this.#generation = Number(this.#read("generation") ?? 0) + 1;
      this.#write("generation", String(this.#generation));
      const beacon: RecordDraft<"subject.activated"> = {
        source: "subject",
        type: "subject.activated",
        activation: this.id,
        isolate: isolate(),
        generation: this.#generation,
        cause: this.#cause,
        marker: this.readMarker(),
        object: ctx.id.toString(),
        version: {
          id: env.CF_VERSION_METADATA?.id ?? "",
          tag: env.KIT_BUILD ?? env.CF_VERSION_METADATA?.tag ?? "",
        },
        host: { ...host },
        subjectAt: Date.now(),
        late: false,
      };
      sql.exec(
        "INSERT INTO kit_outbox (activation, record, sent) VALUES (?, ?, 0)",
        this.id,
        JSON.stringify(beacon),
      );
    });
    await this.#flush();
  }

  /** Sends every beacon that was not taken yet, oldest first. Never throws: the subject must not depend on it. */
  async #flush(): Promise<void> {
    const { sql } = this.#storage;
    const rows = sql
      .exec("SELECT activation, record FROM kit_outbox WHERE sent = 0 ORDER BY rowid")
      .toArray() as { activation: string; record: string }[];
    for (const row of rows) {
      const record = RecordDraftSchema.parse(JSON.parse(row.record));
      if (record.type === "subject.activated") record.late = row.activation !== this.id;
      try {
        await this.#ledger.append(`activated:${row.activation}`, record, {
          signal: AbortSignal.timeout(BEACON_WAIT_MS),
        });
      } catch (error) {
        console.warn(`beacon of activation ${row.activation} was not taken: ${String(error)}`);
        return;
      }
      sql.exec("UPDATE kit_outbox SET sent = 1 WHERE activation = ?", row.activation);
    }
  }

  #read(key: string): string | undefined {
    const row = this.#storage.sql.exec("SELECT value FROM kit_identity WHERE key = ?", key).toArray()[0];
    return typeof row?.value === "string" ? row.value : undefined;
  }

  #write(key: string, value: string): void {
    this.#storage.sql.exec(
      "INSERT INTO kit_identity (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key,
      value,
    );
  }
}
