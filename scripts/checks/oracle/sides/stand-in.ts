/** The stand-in as a side: in workerd, inside a Durable Object with the real OpenCodeHarness, reset by `ctx.abort()`. */
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { z } from "zod";
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";
import { enterScratch } from "../../../local/process/scratch.ts";
import { MODEL } from "../../../local/server/server-config.ts";
import { LoggedEvent } from "../normalise.ts";
import { FollowedItem, type PageInput, type PromptInput, type Reply, type Side, tagOf } from "./side.ts";

/** As in the subject's own wrangler.jsonc: pending outbound I/O keeps an object alive from 2026-10-01 on. */
const COMPATIBILITY_DATE = "2026-11-01";

const Outcome = z.object({ ok: z.boolean(), value: z.unknown() });
const Created = z.object({ id: z.string() });

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export class StandInRuntime {
  readonly #miniflare: Miniflare;

  private constructor(miniflare: Miniflare) {
    this.#miniflare = miniflare;
  }

  static async start(worldUrl: string): Promise<StandInRuntime> {
    await enterScratch();
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: await bundle(),
        compatibilityDate: COMPATIBILITY_DATE,
        compatibilityFlags: ["nodejs_compat"],
        bindings: { WORLD: worldUrl },
        durableObjects: { SUBJECT: { className: "Subject", useSQLite: true } },
        // An object that is reset on purpose logs an uncaught error.
        log: new Log(LogLevel.NONE),
        handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
          stdout.resume();
          stderr.resume();
        },
      }),
    );
    await miniflare.ready;
    return new StandInRuntime(miniflare);
  }

  /** A host that breaks these rules. Different rules, different object. */
  side(mutations: readonly Mutation[]): Side {
    const object = ["host", ...mutations].join(".");
    return new StandInSide(async (operation) => {
      const response = await this.#miniflare.dispatchFetch(`http://oracle.invalid/${object}`, {
        method: "POST",
        body: JSON.stringify(operation),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text.split("\n")[0]);
      return Outcome.parse(JSON.parse(text));
    });
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }
}

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: [here("../workers/oracle-subject.ts")],
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    alias: { "@opencode/plugin": here("../../../../src/host/stand-in/define-plugin.ts") },
    write: false,
  });
  return result.outputFiles[0]?.text ?? "";
}

type Send = (operation: object) => Promise<z.infer<typeof Outcome>>;

class StandInSide implements Side {
  readonly name = "stand-in";
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  async createSession(): Promise<string> {
    return Created.parse(await this.#require("create", { model: MODEL })).id;
  }

  prompt(session: string, input: PromptInput): Promise<Reply> {
    return this.#call(["sessions", "prompt"], { sessionID: session, ...input });
  }

  interrupt(session: string): Promise<Reply> {
    return this.#call(["sessions", "interrupt"], { sessionID: session });
  }

  async active(session: string): Promise<boolean> {
    return session in z.record(z.string(), z.unknown()).parse(await this.#require("active"));
  }

  async log(session: string, after?: number): Promise<LoggedEvent[]> {
    const items = await this.#log({ sessionID: session, ...(after === undefined ? {} : { after }) });
    return items.filter((item) => item.type !== "log.synced").map((item) => LoggedEvent.parse(item));
  }

  follow(session: string, after: number, until: string): Promise<FollowedItem[]> {
    return this.#log({ sessionID: session, after, follow: true }, `session.${until}`);
  }

  messages(session: string, page: PageInput): Promise<Reply> {
    return this.#call(["message", "list"], { sessionID: session, ...page });
  }

  async restart(): Promise<void> {
    await this.#send({ op: "drop" }).then(
      () => {
        throw new Error("The object was not reset");
      },
      () => undefined,
    );
    await this.#require("active");
  }

  async #log(input: object, until?: string): Promise<FollowedItem[]> {
    const outcome = await this.#send({ op: "log", input, until });
    if (!outcome.ok) throw new Error(`Reading the log was refused: ${tagOf(outcome.value)}`);
    return z.array(FollowedItem).parse(outcome.value);
  }

  async #require(method: string, ...args: unknown[]): Promise<unknown> {
    const reply = await this.#call(["sessions", method], ...args);
    if (!reply.ok) throw new Error(`${method} was refused: ${reply.tag}`);
    return reply.value;
  }

  async #call(path: string[], ...args: unknown[]): Promise<Reply> {
    const { ok, value } = await this.#send({ op: "client", path, args });
    return ok ? { ok, value } : { ok: false, tag: tagOf(value) };
  }
}
