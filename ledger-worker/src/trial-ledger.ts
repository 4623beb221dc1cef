/**
 * The Durable Object of one trial: puts storage, journal and connections together and serves the protocol. All
 * decisions are in the modules beside it; all state that decides anything is in SQLite.
 */
import { DurableObject } from "cloudflare:workers";
import type { Hono } from "hono";
import { Connections } from "./connections.ts";
import { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Env } from "./ledger-env.ts";
import { routesOf } from "./routes.ts";
import { Wakeups } from "./wakeups.ts";
import { workDone } from "./work-done.ts";

export class TrialLedger extends DurableObject<Env> {
  readonly #routes: Hono;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const wakeups = new Wakeups();
    const ledger: Ledger = {
      sql: ctx.storage.sql,
      journal: new Journal(ctx.storage.sql, () => Date.now()),
      transact: (change) => {
        workDone.transactions += 1;
        const result = ctx.storage.transactionSync(change);
        wakeups.wakeAll();
        return result;
      },
      attemptCallers: new Connections(),
      modelCallers: new Connections(),
      wakeups,
    };
    this.#routes = routesOf(ledger);
  }

  override async fetch(request: Request): Promise<Response> {
    return this.#routes.fetch(request);
  }
}
