/** The 1.18 server's `/api` as a side: the event-sourced session core from which OpenCode 2 grew. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { MODEL } from "../../../local/server/server-config.ts";
import type { ServerProcess } from "../../../local/server/server-process.ts";
import { LoggedEvent, nameOf } from "../normalise.ts";
import { FollowedItem, type PageInput, type PromptInput, type Reply, type Side, tagOf } from "./side.ts";

const REQUEST_MS = 30_000;
const FOLLOW_MS = 60_000;

const Created = z.object({ data: z.object({ id: z.string() }) });
const History = z.object({ data: z.array(LoggedEvent), hasMore: z.boolean() });
const Typed = z.looseObject({ type: z.looseObject({ enum: z.array(z.string()).optional() }).optional() });
const Description = z.object({
  components: z.object({ schemas: z.record(z.string(), z.looseObject({ properties: Typed.optional() })) }),
});
const Active = z.object({ data: z.record(z.string(), z.unknown()) });

export class ServerSide implements Side {
  readonly name = "server";
  readonly #process: ServerProcess;

  constructor(process: ServerProcess) {
    this.#process = process;
  }

  async createSession(): Promise<string> {
    const created = await this.#require("POST", "/api/session", { model: MODEL });
    return Created.parse(created).data.id;
  }

  prompt(session: string, { text, ...options }: PromptInput): Promise<Reply> {
    return this.#call("POST", `/api/session/${session}/prompt`, { prompt: { text }, ...options });
  }

  interrupt(session: string): Promise<Reply> {
    return this.#call("POST", `/api/session/${session}/interrupt`);
  }

  async active(session: string): Promise<boolean> {
    return session in Active.parse(await this.#require("GET", "/api/session/active")).data;
  }

  async log(session: string, after?: number): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for (let cursor = after; ; cursor = events.at(-1)?.durable.seq) {
      const query = cursor === undefined ? "" : `?after=${cursor}`;
      const page = History.parse(await this.#require("GET", `/api/session/${session}/history${query}`));
      events.push(...page.data);
      if (!page.hasMore) return events;
    }
  }

  async follow(session: string, after: number, until: string): Promise<FollowedItem[]> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(FOLLOW_MS)]);
    const response = await fetch(`${this.#process.url}/api/session/${session}/event?after=${after}`, {
      headers: { authorization: this.#process.authorization },
      signal,
    });
    const items: FollowedItem[] = [];
    const stream = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    if (stream === undefined) throw new Error("The server's event stream has no body");
    try {
      for await (const { data } of stream) {
        const item = FollowedItem.parse(JSON.parse(data));
        items.push(item);
        if (nameOf(item.type) === until) return items;
      }
    } finally {
      stop.abort();
    }
    throw new Error(`The server's event stream ended before ${until}`);
  }

  async messages(session: string, page: PageInput): Promise<Reply> {
    const query = new URLSearchParams(
      Object.entries(page).map(([key, value]): [string, string] => [key, String(value)]),
    );
    return this.#call("GET", `/api/session/${session}/message?${query}`);
  }

  async restart(): Promise<void> {
    await this.#process.kill();
    await this.#process.start();
  }

  /** Every event that its API description knows, and every type of message, under the names used here. */
  async declaredNames(): Promise<string[]> {
    const description = Description.parse(await this.#require("GET", "/doc"));
    const types = Object.entries(description.components.schemas).flatMap(([name, { properties }]) =>
      (properties?.type?.enum ?? []).map((type) => ({ name, type })),
    );
    return types.flatMap(({ name, type }) => {
      if (type.startsWith("session.next.")) return [nameOf(type)];
      return name.startsWith("SessionMessage") ? [`message ${type}`] : [];
    });
  }

  async #require(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await this.#call(method, path, body);
    if (!reply.ok) throw new Error(`${method} ${path} was refused: ${reply.tag}`);
    return reply.value;
  }

  async #call(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(`${this.#process.url}${path}`, {
      method,
      headers: { authorization: this.#process.authorization, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await response.text();
    const value: unknown = text === "" ? null : JSON.parse(text);
    return response.ok ? { ok: true, value } : { ok: false, tag: tagOf(value) };
  }
}
