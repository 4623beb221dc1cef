/** A Worker of the kinds that users write: classes that are called by `fetch`, by methods, by events and by each other. */
import { DurableObject } from "cloudflare:workers";
import { Agent, callable } from "agents";
import { Lifecycle } from "agents/lifecycle";

type Env = { readonly OBJECT: DurableObjectNamespace; readonly AGENT: DurableObjectNamespace };

const SOON_MS = 1_500;

/** Called by its methods alone. */
export class Methods extends DurableObject<Env> {
  static readonly made = "by its author";
  readonly #secret = "private";
  readonly #asWritten: boolean;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#asWritten = new.target === Methods && this.constructor === Methods;
  }

  describe() {
    const { name } = this.constructor;
    const bindings = Object.keys(this.env).sort();
    return { asWritten: this.#asWritten, name, secret: this.#secret, bindings, sum: this.sum(2, 3) };
  }

  /** Synchronous, for its own code too. */
  sum(a: number, b: number): number {
    return a + b;
  }

  async send(to: string): Promise<string> {
    return (await fetch(to)).text();
  }

  async sendLater(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + SOON_MS);
  }

  override async alarm(): Promise<void> {
    await fetch("http://api.example/from-alarm");
  }

  async forget(): Promise<string[]> {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS hers (id INTEGER)");
    await this.ctx.storage.deleteAll();
    const tables = this.ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    return tables.map(({ name }) => String(name)).filter((name) => !name.startsWith("_cf_"));
  }

  async askFacet(to: string): Promise<string> {
    const facet = this.ctx.facets.get<Helper>("helper", () => ({
      class: (this.ctx.exports as unknown as { Helper: DurableObjectClass<Helper> }).Helper,
    }));
    return facet.send(to);
  }
}

/** A part of another object. */
export class Helper extends DurableObject {
  async send(to: string): Promise<string> {
    return (await fetch(to)).text();
  }
}

/** Its handlers are put on the instance by `Lifecycle.install`, which leaves out what the host has already. */
export class Installed extends DurableObject {
  readonly lifecycle = Lifecycle.install(this);

  onRequest(): Response {
    return Response.json({ hasAlarm: "alarm" in this });
  }
}

export class WithoutAlarm extends DurableObject {
  override async fetch(): Promise<Response> {
    const failed = await this.ctx.storage.setAlarm(Date.now() + SOON_MS).then(() => null, String);
    return Response.json({ hasAlarm: "alarm" in this, failed });
  }
}

export class Frozen extends DurableObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    Object.freeze(this);
  }

  override fetch(): Response {
    return Response.json({ frozen: Object.isFrozen(this) });
  }
}

/** Keeps a connection over its own eviction. */
export class Socket extends DurableObject {
  override fetch(): Response {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string): Promise<void> {
    socket.send(`heard ${message}`);
  }
}

export class Named extends Agent<Env> {
  override initialState = { count: 0 };

  @callable()
  async greet(name: string): Promise<string> {
    return `hello ${name} from ${this.name}`;
  }

  async plan(): Promise<void> {
    await this.schedule(1, "send", "http://api.example/from-schedule");
  }

  async send(to: string): Promise<string> {
    return (await fetch(to)).text();
  }

  override onRequest(): Response {
    const asWritten = this.constructor === Named && Object.getPrototypeOf(this) === Named.prototype;
    return Response.json({ asWritten, class: this.constructor.name, name: this.name });
  }
}

export const notAClass = () => "as it was";

export default {
  async fetch(request: Request): Promise<Response> {
    return new Response(`hers: ${new URL(request.url).pathname}`);
  },
};
