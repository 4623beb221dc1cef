/** The event-sourced core of the 1.18 server, under `/api`. It has a durable log; of plugins it takes no tools. */
import { z } from "zod";
import { NO_ROUTE, type ServerClient, ServerRefusal } from "./server-client.ts";
import { MODEL } from "./server-config.ts";
import type { SessionApi, TurnState } from "./session-api.ts";

const Created = z.object({ data: z.object({ id: z.string() }) });
const Active = z.object({ data: z.record(z.string(), z.unknown()) });
const Admitted = z.object({ data: z.object({ id: z.string() }) });
const Event = z.looseObject({ durable: z.looseObject({ seq: z.number() }) });
const History = z.object({ data: z.array(Event), hasMore: z.boolean() });
const Message = z.looseObject({
  id: z.string(),
  type: z.string(),
  finish: z.string().optional(),
  error: z.looseObject({ message: z.string().optional() }).optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
});
type Message = z.infer<typeof Message>;
const Page = z.object({ data: z.array(Message), cursor: z.object({ next: z.string().nullish() }) });

export class CoreApi implements SessionApi {
  readonly keepsLog = true;
  readonly #client: ServerClient;

  constructor(client: ServerClient) {
    this.#client = client;
  }

  async create(): Promise<string> {
    return (await this.#client.post("/api/session", Created, { model: MODEL })).data.id;
  }

  async knows(session: string, prompt: string): Promise<boolean> {
    return (await this.messages(session)).some(({ id }) => id === prompt);
  }

  async prompt(session: string, prompt: string, text: string): Promise<void> {
    await this.#client.post(`/api/session/${session}/prompt`, Admitted, { id: prompt, prompt: { text } });
  }

  async state(session: string, prompts: readonly string[]): Promise<TurnState> {
    const { data } = await orMissing(this.#client.get("/api/session/active", Active), { data: {} });
    const answer = answerTo(await this.messages(session), prompts);
    return answer ?? { kind: session in data ? "running" : "idle" };
  }

  /** Null for a version that does not show its log. */
  async log(session: string, from: number | null): Promise<{ items: unknown[] } | null> {
    const items: z.infer<typeof Event>[] = [];
    for (;;) {
      const after = items.at(-1)?.durable.seq ?? from;
      const query = after === null ? "" : `?after=${after}`;
      const page = await orMissing(
        this.#client.get(`/api/session/${session}/history${query}`, History),
        null,
      );
      if (page === null) return null;
      items.push(...page.data);
      if (!page.hasMore) return { items };
    }
  }

  async messages(session: string): Promise<Message[]> {
    const messages: Message[] = [];
    for (let query = "order=asc"; ; ) {
      const page = await this.#client.get(`/api/session/${session}/message?${query}`, Page);
      messages.push(...page.data);
      // The last page is an empty one.
      if (page.data.length === 0 || page.cursor.next == null) return messages;
      query = `cursor=${encodeURIComponent(page.cursor.next)}`;
    }
  }

  async interrupt(session: string): Promise<boolean> {
    try {
      await this.#client.post(`/api/session/${session}/interrupt`, z.unknown(), {});
      return true;
    } catch (error) {
      if (error instanceof ServerRefusal && error.status < 500) return false;
      throw error;
    }
  }
}

/**
 * `fallback` where the server has no such route, as versions before 1.17.18 have not. Those take the last word of
 * `/api/session/active` for a session's id, and refuse it as one.
 */
async function orMissing<T, F>(asked: Promise<T>, fallback: F): Promise<T | F> {
  return await asked.catch((error: unknown) => {
    if (error instanceof ServerRefusal && isMissing(error)) return fallback;
    throw error;
  });
}

function isMissing({ status, message }: ServerRefusal): boolean {
  return message.endsWith(NO_ROUTE) || (status === 400 && message.includes("Invalid session ID"));
}

/** How the turn ended that began with the last of these prompts; null while it has not. */
function answerTo(messages: readonly Message[], prompts: readonly string[]): TurnState | null {
  const begins = messages.findLastIndex(({ id }) => prompts.includes(id));
  if (begins === -1) return null;
  const next = messages.findIndex(({ type }, index) => index > begins && type === "user");
  const turn = messages.slice(begins + 1, next === -1 ? undefined : next);
  const last = turn.findLast(({ type }) => type === "assistant");
  if (last === undefined) return null;
  if (last.error !== undefined) return { kind: "failed", reason: last.error.message ?? "an error" };
  if (last.finish === undefined || last.finish === "tool-calls") return null;
  const text = (last.content ?? []).flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
  return { kind: "answered", text: text.join("") };
}
