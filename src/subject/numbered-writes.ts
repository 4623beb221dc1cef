/**
 * Numbers the durable acts of an activation from the submission on, and ends the object at one of them where a trial asks for that.
 * It is laid over the functions of the object's own storage, and only there where it is asked for.
 *
 * The runtime makes the writes of one turn of its event loop durable together, at the end of the turn: they are a commit group. An
 * asynchronous transaction is a group of its own. The kit's own tables are left out.
 *
 * Leaves to others: what a statement writes (`write-statement.ts`), and the loss itself, which is the runtime's.
 */
import { Refusal } from "../link/admission.ts";
import { OPEN_WAIT_MS_MAX } from "../trace/protocol/subject-protocol.ts";
import { isSameAct, lossText, type NumberedWrite, type WriteKind, type WritePlace } from "../trace/writes.ts";
import { writeIn } from "./write-statement.ts";

/** How long a submission waits for the request that is to see the loss, in ms. */
const WATCHED_WITHIN_MS = 20_000;

type Act = (...args: unknown[]) => unknown;

export class NumberedWrites {
  readonly #ctx: DurableObjectState;
  readonly #activation: string;
  readonly #writes: NumberedWrite[] = [];
  #isLaid = false;
  #submittedAt: number | null = null;
  #place: WritePlace | null = null;
  /** The group that is not durable yet; null between two. */
  #group: number | null = null;
  #groups = 0;
  #inTransaction = false;
  /** The write after which the object ends, once what it stands in is durable. */
  #due: NumberedWrite | null = null;
  readonly #watched = Promise.withResolvers<void>();

  constructor(ctx: DurableObjectState, activation: string) {
    this.#ctx = ctx;
    this.#activation = activation;
  }

  /** From now on writes go through here. `place`: where the object is to be lost; null for nowhere. */
  lay(place: WritePlace | null): void {
    this.#place = place;
    if (this.#isLaid) return;
    this.#isLaid = true;
    const { storage } = this.#ctx;
    const { sql, kv } = storage;
    replace(sql, "exec", (own) => (...args) => {
      const written = typeof args[0] === "string" ? writeIn(args[0]) : null;
      if (written === null || written.table?.startsWith("kit_") === true) return own(...args);
      return this.#act(written.kind, written.table, () => own(...args));
    });
    this.#layOverKeys(storage);
    this.#layOverKeys(kv);
    for (const [name, kind] of ALARMS) replace(storage, name, (own) => this.#numbered(kind, own));
    replace(storage, "deleteAll", (own) => this.#numbered("clear", own));
    replace(storage, "transaction", (own) => (closure) => {
      if (typeof closure !== "function") return own(closure);
      const done = own((transaction: object) =>
        this.#transaction(() => {
          this.#layOverKeys(transaction);
          return Reflect.apply(closure, undefined, [transaction]);
        }),
      );
      // Its first listener, so that nothing is written between its commit and the loss.
      if (done instanceof Promise) void done.finally(() => this.#loseIfDue()).catch(() => undefined);
      return done;
    });
  }

  /** The submission begins: what is written from here on is numbered. Waits for who is to see the loss. */
  async begin(): Promise<void> {
    if (!this.#isLaid || this.#submittedAt !== null) return;
    if (this.#place !== null) {
      const late = scheduler.wait(WATCHED_WITHIN_MS).then(() => {
        throw new Error("nobody watches for the loss that was asked for");
      });
      await Promise.race([this.#watched.promise, late]);
    }
    this.#submittedAt = Date.now();
  }

  /** Stays open until the object is lost. */
  async loss(): Promise<Response> {
    if (this.#place === null)
      throw new Refusal("operation-unknown", "this activation was not asked to be lost at a write");
    this.#watched.resolve();
    await scheduler.wait(OPEN_WAIT_MS_MAX);
    throw new Error(`write ${this.#place.number} was not come to`);
  }

  /** All that were numbered. */
  get list(): readonly NumberedWrite[] {
    return this.#writes;
  }

  #layOverKeys(target: object): void {
    replace(target, "put", (own) => this.#numbered("put", own));
    replace(target, "delete", (own) => this.#numbered("remove", own));
  }

  #numbered(kind: WriteKind, own: Act): Act {
    return (...args) => this.#act(kind, null, () => own(...args));
  }

  #act(kind: WriteKind, table: string | null, carryOut: () => unknown): unknown {
    if (this.#submittedAt === null) return carryOut();
    const group = this.#openGroup();
    // A later group than the one that the loss waits for: that one is committed, and nothing of this one has begun.
    if (this.#due !== null && this.#due.group !== group) this.#lose(this.#due);
    const write: NumberedWrite = {
      number: this.#writes.length + 1,
      group,
      kind,
      table,
      nth: 1 + this.#writes.filter((one) => one.kind === kind && one.table === table).length,
      rows: null,
      msSinceSubmit: Math.max(0, Date.now() - this.#submittedAt),
    };
    const meant = this.#place !== null && isSameAct(this.#place, write) ? this.#place.side : null;
    // Nothing of its group is durable: it is given up with the object.
    if (meant === "before") this.#lose(write);
    this.#writes.push(write);
    try {
      const result = carryOut();
      write.rows = rowsOf(result);
      return result;
    } finally {
      if (meant === "after") this.#loseOnceDurable(write);
    }
  }

  #loseOnceDurable(write: NumberedWrite): void {
    this.#due = write;
    if (!this.#inTransaction) void this.#ctx.storage.sync().then(() => this.#lose(write));
  }

  #loseIfDue(): void {
    if (this.#due !== null) this.#lose(this.#due);
  }

  /** Ends the object: no line after this runs. */
  #lose({ rows: _rows, ...write }: NumberedWrite): never {
    const last = this.#writes.at(-1);
    const loss = {
      ...write,
      side: this.#place?.side ?? "before",
      last: last?.number ?? 0,
      lastGroup: last?.group ?? 0,
      activation: this.#activation,
    };
    this.#ctx.abort(lossText(loss));
    throw new Error("ctx.abort() returned");
  }

  #openGroup(): number {
    if (this.#group !== null) return this.#group;
    const group = ++this.#groups;
    this.#group = group;
    // A transaction's own end closes its group.
    if (this.#inTransaction) return group;
    const close = () => {
      if (this.#group === group && !this.#inTransaction) this.#group = null;
    };
    // The one resolves when what the turn wrote is durable, and so too late where an alarm has to be set first; the other is the
    // first timer of a later turn. Whichever is sooner: a group too many costs a trial, one too few hides a crash point.
    void this.#ctx.storage.sync().then(close);
    setTimeout(close, 0);
    return group;
  }

  async #transaction(work: () => unknown): Promise<unknown> {
    this.#group = null;
    this.#inTransaction = true;
    try {
      return await work();
    } finally {
      this.#group = null;
      this.#inTransaction = false;
    }
  }
}

const ALARMS = [
  ["setAlarm", "set-alarm"],
  ["deleteAlarm", "delete-alarm"],
] as const;

/** A function of the runtime's own, replaced on the object that everybody has. */
function replace(target: object, name: string, around: (own: Act) => Act): void {
  const own: unknown = Reflect.get(target, name);
  if (typeof own !== "function") return;
  const value = around((...args) => Reflect.apply(own, target, args));
  if (!Reflect.defineProperty(target, name, { value, configurable: true }))
    throw new Error(`the storage lets nobody lay anything over its ${name}`);
}

/** Of a cursor that SQL gave. */
function rowsOf(result: unknown): number | null {
  const rows: unknown =
    typeof result === "object" && result !== null ? Reflect.get(result, "rowsWritten") : null;
  return typeof rows === "number" ? rows : null;
}
