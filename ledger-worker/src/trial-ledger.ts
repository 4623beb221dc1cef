/**
 * The Durable Object of one trial: puts storage, journal and connections together and serves the protocol. All
 * decisions are in the modules beside it; all state that decides anything is in SQLite.
 */
import { DurableObject } from "cloudflare:workers";
import type { Hono } from "hono";
import { boardOf } from "./board-of.ts";
import { Connections } from "./connections.ts";
import { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Env } from "./ledger-env.ts";
import { News } from "./news.ts";
import { routesOf } from "./routes.ts";
import type { Notice } from "./runner-board.ts";
import { readTrial } from "./trial.ts";
import { Wakeups } from "./wakeups.ts";
import { workDone } from "./work-done.ts";

export class TrialLedger extends DurableObject<Env> {
  readonly #routes: Hono;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const wakeups = new Wakeups();
    const news = new News();
    const ledger: Ledger = {
      sql: ctx.storage.sql,
      journal: new Journal(
        ctx.storage.sql,
        () => Date.now(),
        (record) => news.note(record),
      ),
      transact: (change) => {
        workDone.transactions += 1;
        news.forget();
        const result = this.#undoable(ledger, change);
        wakeups.wakeAll();
        const told = news.take();
        if (told !== null) this.#announce({ trial: readTrial(ledger).name, ...told });
        return result;
      },
      memory: { trial: undefined },
      attemptCallers: new Connections(),
      modelCallers: new Connections(),
      wakeups,
    };
    this.#routes = routesOf(ledger);
  }

  /** What is remembered of the storage is true of it again when the transaction fails. */
  #undoable<Result>({ journal, memory }: Ledger, change: () => Result): Result {
    try {
      return this.ctx.storage.transactionSync(change);
    } catch (error) {
      journal.forget();
      memory.trial = undefined;
      throw error;
    }
  }

  /** Tells the board and waits for nothing: what it does not take, the reader's own rounds find. */
  #announce(notice: Notice): void {
    const post = async () => boardOf(this.env).post(notice);
    this.ctx.waitUntil(post().catch(() => undefined));
  }

  override async fetch(request: Request): Promise<Response> {
    return this.#routes.fetch(request);
  }
}
