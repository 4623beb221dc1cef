/**
 * The object under test: the real OpenCodeHarness around the host under test, reachable over HTTP, with crash points
 * taken from the bench's plan.
 */

import { DurableObject } from "cloudflare:workers";
import { OpenCodeHarness } from "agents/harness/opencode";
import { Lifecycle } from "agents/lifecycle";
import { openHost } from "#host";
import type { HostInterface } from "../../../../src/host/types/client-types.ts";
import type { Outcome, Plan } from "../bench-protocol.ts";
import { askBench, modelBaseUrl, routeGlobalFetch } from "./bench-model-route.ts";
import { brokenPlugin, codemodePlugin, contractTools, largePlugin } from "./bench-tools.ts";
import { readBootState, readCatalog } from "./boot-state.ts";
import { Bench } from "./contract-bench.ts";
import { Crash } from "./crash-point.ts";
import { observedStorage } from "./observed-storage.ts";

export { Bench };

type Env = { SUBJECT: DurableObjectNamespace<Subject>; BENCH: DurableObjectNamespace<Bench> };

const PLUGINS = { broken: brokenPlugin, codemode: codemodePlugin, large: largePlugin };

/** @param bench - Name of the bench whose model is asked. */
function configFor(bench: string) {
  const baseURL = modelBaseUrl(bench);
  return {
    model: "fake/main",
    providers: {
      fake: {
        package: "@opencode/ai/providers/openai-compatible",
        settings: { baseURL, apiKey: "x" },
        models: {
          main: { limit: { context: 128_000, output: 8_192 } },
          other: { modelID: "other-model", limit: { context: 128_000, output: 4_096 } },
          small: { limit: { context: 30_000, output: 1_000 } },
        },
      },
      impatient: {
        package: "@opencode/ai/providers/openai-compatible",
        settings: { baseURL, apiKey: "x", headerTimeout: 50 },
        models: { main: {} },
      },
    },
  };
}

/** Longer than any test waits for a reset. */
const LIFE_LIMIT_MS = 60_000;

export class Subject extends DurableObject<Env> {
  readonly harness = new OpenCodeHarness({ opencode: ({ storage }) => this.#open(storage) });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  #activation = -1;

  async #open(storage: DurableObjectStorage): Promise<HostInterface> {
    const name = this.ctx.id.name ?? "";
    const bench = this.env.BENCH.getByName(name);
    const boot = JSON.stringify(readBootState(this.ctx.storage.sql));
    const activated = await bench.activate(boot);
    const { activation } = activated;
    this.#activation = activation;
    const plan = JSON.parse(activated.plan) as Plan;
    const crash = new Crash(plan.crashes?.[activation] ?? undefined, () => this.ctx.abort("crash point"));
    const config = { ...configFor(name), ...plan.config };
    // Not every host takes a `fetch` (host contract, section 15, question 3).
    routeGlobalFetch(this.env.BENCH);
    return openHost(
      {
        storage: observedStorage(storage, (type) => crash.event(type)),
        config: plan.configAsContent === true ? { content: JSON.stringify(config) } : config,
        plugins: [
          ...(plan.plugins ?? []).map((plugin) => PLUGINS[plugin]),
          contractTools(bench, activation, crash),
        ],
        models: { snapshot: false, fetch: false },
        app: { name: "contract-tests", version: "1" },
        ...(plan.fetch === "global"
          ? {}
          : { fetch: (input, init) => askBench(this.env.BENCH, new Request(input, init), "option") }),
        log: { level: "warn", emit: (entry) => void bench.hostLogged(entry.level, entry.message) },
      },
      {
        onToolBoundary: (boundary) => crash.halt(boundary.side),
        mutations: plan.mutations ?? [],
        title: plan.title ?? "absent",
        retries: plan.retries ?? 10,
        delays: plan.delays ?? "none",
      },
    );
  }

  async onRequest(request: Request): Promise<Response> {
    const { target, path, args } = (await request.json()) as {
      target: string;
      path: string[];
      args: unknown[];
    };
    return Response.json(await outcomeOf(() => this.#dispatch(target, path, args)));
  }

  async #dispatch(target: string, path: string[], args: unknown[]): Promise<unknown> {
    switch (target) {
      case "drop":
        return this.ctx.abort("dropped by the test");
      case "erase":
        await this.ctx.storage.deleteAlarm();
        await this.ctx.storage.deleteAll();
        return this.ctx.abort("erased by the test");
      case "client":
        return invoke(await this.harness.opencode(), path, args);
      case "until-activation": {
        await this.harness.opencode();
        // Not this life yet: the answer is that this question dies with it.
        if (this.#activation < (args[0] as number)) await scheduler.wait(LIFE_LIMIT_MS);
        return this.#activation;
      }
      case "catalog":
        return readCatalog(this.ctx.storage.sql);
      case "log":
        return collect((await this.harness.opencode()).sessions.log(args[0] as never), args[1] as Stop);
      case "subscribe":
        return this.#subscribe(args[0] as Stop & { prompt: unknown });
      default:
        return invoke(this.harness, path, args);
    }
  }

  /** Subscribes, submits a prompt once connected, and collects until the given event. */
  async #subscribe(input: Stop & { prompt: unknown }): Promise<unknown> {
    const opencode = await this.harness.opencode();
    const events: unknown[] = [];
    for await (const event of opencode.events.subscribe()) {
      events.push(event);
      if (event.type === "server.connected") await opencode.sessions.prompt(input.prompt as never);
      if (event.type === input.until) return events;
    }
    return events;
  }
}

type Stop = { until?: string; startWith?: unknown };

async function collect(events: AsyncIterable<{ type: string }>, stop: Stop | undefined): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.type === stop?.until) break;
  }
  return seen;
}

/** Calls `root.a.b(...args)`; the tests' paths are literals. */
async function invoke(root: object, path: string[], args: unknown[]): Promise<unknown> {
  let owner: unknown = root;
  for (const key of path.slice(0, -1)) owner = Reflect.get(owner as object, key);
  const method: unknown = Reflect.get(owner as object, path.at(-1) ?? "");
  if (typeof method !== "function") throw new Error(`No method ${path.join(".")}`);
  return Reflect.apply(method, owner, args);
}

async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: (await run()) ?? null };
  } catch (error) {
    if (error instanceof Error) return { ok: false, isError: true, name: error.name, value: error.message };
    return { ok: false, isError: false, value: error };
  }
}

/** `/subject/<name>` speaks to the object under test, `/bench/<name>/<method>` to its bench. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, kind, name = "", method] = new URL(request.url).pathname.split("/");
    if (kind === "subject") return env.SUBJECT.getByName(name).fetch(request);
    const bench = env.BENCH.getByName(name);
    const body: unknown = await request.json();
    switch (method) {
      case "plan":
        return Response.json((await bench.setPlan(JSON.stringify(body))) ?? null);
      case "state":
        return new Response(await bench.state());
      case "until":
        return Response.json((await bench.until(body as Parameters<Bench["until"]>[0])) ?? null);
      case "open":
        return Response.json((await bench.open(body as string)) ?? null);
      default:
        return new Response("Not found", { status: 404 });
    }
  },
};
