/**
 * Durable Object classes of the kinds that users write, with the kit laid over them. Each tells the ledger what of it runs,
 * so that the order of that and of the kit's own record shows.
 */
import { DurableObject } from "cloudflare:workers";
import { Agent } from "agents";
import { Lifecycle } from "agents/lifecycle";
import type { Driver } from "../../../src/subject/driver.ts";
import { chosenByName } from "../../../src/subject/object-class.ts";
import type { TrialEnv } from "../../../src/subject/subject-env.ts";
import { underTrial } from "../../../src/subject/under-trial.ts";

/** How soon an alarm is due, in ms: late enough for a reset to come first on a busy machine. */
const SOON_MS = 1_500;

async function say(env: TrialEnv, said: string): Promise<void> {
  await env.LEDGER.fetch("http://ledger.invalid/said", { method: "POST", body: JSON.stringify({ said }) });
}

class Plain extends DurableObject<TrialEnv> {
  static readonly made = "by its author";
  readonly #secret = "private";
  readonly #constructed: boolean;

  constructor(ctx: DurableObjectState, env: TrialEnv) {
    super(ctx, env);
    this.#constructed = new.target === Plain && this.constructor === Plain;
  }

  override async fetch(request: Request): Promise<Response> {
    await say(this.env, "fetch");
    const { pathname } = new URL(request.url);
    if (pathname === "/alarm") await this.ctx.storage.setAlarm(Date.now() + SOON_MS);
    const body = await request.text();
    return Response.json({
      asWritten: this.#constructed,
      name: this.constructor.name,
      made: Plain.made,
      secret: this.#secret,
      trial: this.env.TRIAL.trial,
      pathname,
      body,
    });
  }

  override async alarm(): Promise<void> {
    await say(this.env, `alarm of ${this.ctx.id.name}`);
  }
}

/** Its handlers are put on the instance by `Lifecycle.install`, which leaves out what the host has already. */
class Installed extends DurableObject<TrialEnv> {
  readonly lifecycle = Lifecycle.install(this);

  async onStart(): Promise<void> {
    await say(this.env, "start");
  }

  onRequest(): Response {
    return Response.json({ hasAlarm: "alarm" in this });
  }
}

class Named extends Agent<Cloudflare.Env> {
  override onRequest(): Response {
    const asWritten = this.constructor === Named && Object.getPrototypeOf(this) === Named.prototype;
    return Response.json({ asWritten, class: this.constructor.name, name: this.name });
  }
}

class WithoutAlarm extends DurableObject<TrialEnv> {
  override async fetch(): Promise<Response> {
    const failed = await this.ctx.storage.setAlarm(Date.now() + SOON_MS).then(() => null, String);
    return Response.json({ hasAlarm: "alarm" in this, failed });
  }
}

class Frozen extends DurableObject<TrialEnv> {
  constructor(ctx: DurableObjectState, env: TrialEnv) {
    super(ctx, env);
    Object.freeze(this);
  }

  override fetch(): Response {
    return Response.json({ frozen: Object.isFrozen(this) });
  }
}

/** From its second life on, its constructor cannot read what the first one left. */
class BrokenSchema extends DurableObject<TrialEnv> {
  constructor(ctx: DurableObjectState, env: TrialEnv) {
    super(ctx, env);
    if (ctx.storage.kv.get("lived") === true) ctx.storage.sql.exec("SELECT id FROM session_v2").toArray();
  }

  override async fetch(): Promise<Response> {
    this.ctx.storage.kv.put("lived", true);
    await this.ctx.storage.setAlarm(Date.now() + SOON_MS);
    await this.ctx.storage.sync();
    return Response.json({ lives: true });
  }

  override async alarm(): Promise<void> {
    await say(this.env, "alarm");
  }
}

/** The same where the constructor waits for its migration. */
class BrokenMigration extends DurableObject<TrialEnv> {
  constructor(ctx: DurableObjectState, env: TrialEnv) {
    super(ctx, env);
    void ctx
      .blockConcurrencyWhile(async () => {
        if ((await ctx.storage.get("lived")) === true) throw new Error("migration 0002_claims failed");
      })
      .catch(() => undefined);
  }

  override async fetch(): Promise<Response> {
    await this.ctx.storage.put("lived", true);
    await this.ctx.storage.sync();
    return Response.json({ lives: true });
  }
}

/** Leaves to others what it throws, each time in another way. */
class Careless extends DurableObject<TrialEnv> {
  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const broken = async (): Promise<never> => {
      await scheduler.wait(5);
      throw new TypeError(`${pathname} of ${this.ctx.id.name}`);
    };
    switch (pathname) {
      case "/promise":
        void broken();
        break;
      case "/caught":
        await broken().catch(() => undefined);
        break;
      case "/taken-later": {
        const work = broken();
        await scheduler.wait(50);
        await work.catch(() => undefined);
        break;
      }
      case "/listener":
        queueMicrotask(() => {
          throw new RangeError(`${pathname} of ${this.ctx.id.name}`);
        });
        break;
      case "/wait-until":
        this.ctx.waitUntil(broken());
        break;
      case "/fetch":
        return broken();
      case "/many":
        for (let index = 0; index < 30; index++) void broken();
        break;
      case "/no-text":
        void Promise.reject(Object.create(null));
        break;
      case "/in-alarm":
        await this.ctx.storage.setAlarm(Date.now());
    }
    return new Response("done");
  }

  override async alarm(): Promise<void> {
    void Promise.reject(new Error(`alarm of ${this.ctx.id.name}`));
  }
}

/** Writes in each way that there is when work is handed in: three turns of the event loop, of which the last is a transaction. */
class Writing extends DurableObject<TrialEnv> {
  async write(): Promise<void> {
    const { storage } = this.ctx;
    const { sql, kv } = storage;
    sql.exec("CREATE TABLE note (n INTEGER)");
    sql.exec("INSERT INTO note VALUES (1)");
    kv.put("first", true);
    await scheduler.wait(20);
    storage.transactionSync(() => {
      sql.exec("/* SELECT */ INSERT OR REPLACE INTO note VALUES (2)");
      sql.exec("WITH one AS (SELECT 2 AS n) UPDATE note SET n = 3 WHERE n IN (SELECT n FROM one)");
    });
    await storage.setAlarm(Date.now() + 1_000_000);
    await scheduler.wait(20);
    await storage.transaction(async (transaction) => {
      sql.exec("INSERT INTO note VALUES (4)");
      await scheduler.wait(20);
      await transaction.put("last", true);
    });
    await storage.delete("first");
    await storage.deleteAlarm();
  }

  override async fetch(): Promise<Response> {
    const { storage } = this.ctx;
    const tables = storage.sql.exec("SELECT name FROM sqlite_schema WHERE name = 'note'").toArray();
    const notes = tables.length === 0 ? null : storage.sql.exec("SELECT n FROM note ORDER BY n").toArray();
    return Response.json({
      notes: notes?.map(({ n }) => n) ?? null,
      first: storage.kv.get("first") ?? false,
      last: storage.kv.get("last") ?? false,
      alarm: (await storage.getAlarm()) !== null,
      laid: Object.hasOwn(storage.sql, "exec"),
    });
  }

  override async alarm(): Promise<void> {}
}

/** Answers in the place of a harness. */
function driverOf<Instance>(start: (instance: Instance) => Promise<void>): Driver<Instance> {
  return {
    host: () => ({ kind: "none", name: "nobody", version: "1" }),
    session: "main",
    start,
    submit: async (_, { operationId }) => ({ operationId, session: "main", accepted: true }),
    wait: async () => ({ session: "main", status: "done", text: "answered" }),
    transcript: async () => ({ messages: [], pending: [] }),
    abort: async () => false,
  };
}
const idle = driverOf(async () => undefined);
const writes: Driver<Writing> = {
  ...driverOf(async () => undefined),
  async submit(writing, { operationId }) {
    await writing.write();
    return { operationId, session: "main", accepted: true };
  },
};

export const Wrapped = chosenByName({
  plain: underTrial(Plain, idle),
  installed: underTrial(
    Installed,
    driverOf(({ lifecycle }: Installed) => lifecycle.start()),
  ),
  named: underTrial(Named, idle),
  "without-alarm": underTrial(WithoutAlarm, idle),
  frozen: underTrial(Frozen, idle),
  "broken-schema": underTrial(BrokenSchema, idle),
  "broken-migration": underTrial(BrokenMigration, idle),
  careless: underTrial(Careless, idle),
  writing: underTrial(Writing, writes),
});

export default {
  async fetch(request: Request, env: { WRAPPED: DurableObjectNamespace }): Promise<Response> {
    if (request.url.endsWith("/of-nobody")) {
      void Promise.reject(new Error("of the Worker itself"));
      return new Response("done");
    }
    return env.WRAPPED.getByName(request.headers.get("x-object") ?? "").fetch(request);
  },
};
