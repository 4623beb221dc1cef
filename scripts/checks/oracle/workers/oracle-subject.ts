/**
 * The stand-in as the kit runs it: inside a Durable Object, opened by the real OpenCodeHarness. Its one tool carries
 * the name and the input of the server's `bash`, so that the scripted model's calls are the same bytes on both sides.
 */
import { DurableObject } from "cloudflare:workers";
import { Plugin } from "@opencode/plugin";
import { OpenCodeHarness } from "agents/harness/opencode";
import { Lifecycle } from "agents/lifecycle";
import { createStandIn } from "../../../../src/host/stand-in/create.ts";
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";

type Env = { SUBJECT: DurableObjectNamespace<Subject>; WORLD: string };

export type Operation =
  | { op: "client"; path: string[]; args: unknown[] }
  | { op: "log"; input: { sessionID: string; after?: number; follow?: boolean }; until?: string }
  | { op: "drop" };

export class Subject extends DurableObject<Env> {
  readonly harness = new OpenCodeHarness({
    opencode: ({ storage }) =>
      createStandIn(
        {
          storage,
          config: configFor(this.env.WORLD),
          plugins: [bash],
          models: { snapshot: false, fetch: false },
          app: { name: "oracle", version: "1" },
        },
        { mutations: mutationsOf(this.ctx.id.name ?? "") },
      ),
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  async onRequest(request: Request): Promise<Response> {
    const operation = (await request.json()) as Operation;
    try {
      return Response.json({ ok: true, value: (await this.#perform(operation)) ?? null });
    } catch (error) {
      // What the host throws on purpose is a tagged object; an Error is a fault.
      if (error instanceof Error) throw error;
      return Response.json({ ok: false, value: error });
    }
  }

  async #perform(operation: Operation): Promise<unknown> {
    if (operation.op === "drop") return this.ctx.abort("dropped by the oracle");
    const opencode = await this.harness.opencode();
    if (operation.op === "client") return invoke(opencode, operation.path, operation.args);
    const items: { type: string }[] = [];
    for await (const item of opencode.sessions.log(operation.input)) {
      items.push(item);
      if (item.type === operation.until) break;
    }
    return items;
  }
}

const bash = Plugin.define({
  id: "oracle",
  setup(ctx) {
    ctx.tool.transform((tools) => {
      tools.add({
        name: "bash",
        description: "Fetches the URL of a curl command line.",
        input: {
          type: "object",
          properties: { command: { type: "string" }, description: { type: "string" } },
          required: ["command"],
        },
        options: { codemode: false },
        async execute(input: { command: string }) {
          const url = /https?:\/\/\S+/.exec(input.command)?.[0];
          if (url === undefined) throw new Error("The command has no URL");
          return { content: await (await fetch(url)).text() };
        },
      });
    });
  },
});

function configFor(world: string) {
  return {
    model: "fake/main",
    providers: {
      fake: {
        package: "@opencode/ai/providers/openai-compatible",
        settings: { baseURL: `${world}/v1`, apiKey: "none" },
        models: { main: { limit: { context: 128_000, output: 8_192 } } },
      },
    },
  };
}

/** An object's name is `host`, followed by a dot and a mutation for each rule that it breaks. */
function mutationsOf(name: string): ReadonlySet<Mutation> {
  return new Set(name.split(".").slice(1) as Mutation[]);
}

/** Calls `root.a.b(...args)`; the paths are literals of the oracle's. */
async function invoke(root: object, path: string[], args: unknown[]): Promise<unknown> {
  let owner: unknown = root;
  for (const key of path.slice(0, -1)) owner = Reflect.get(owner as object, key);
  const method: unknown = Reflect.get(owner as object, path.at(-1) ?? "");
  if (typeof method !== "function") throw new Error(`No method ${path.join(".")}`);
  return Reflect.apply(method, owner, args);
}

/** `/<object>` speaks to the object of that name. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    return env.SUBJECT.getByName(new URL(request.url).pathname.slice(1)).fetch(request);
  },
};
