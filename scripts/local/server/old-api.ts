/**
 * The older API of the 1.18 server, under `/session`. Plugins give it tools; it shows no durable log. A prompt is answered
 * when its turn is over, so that an open request is a turn under way.
 */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type ServerClient, ServerRefusal } from "./server-client.ts";
import { MODEL } from "./server-config.ts";
import type { SessionApi, TurnState } from "./session-api.ts";

const POLL_MS = 100;

const Created = z.object({ id: z.string() });
const Status = z.record(z.string(), z.object({ type: z.string() }));
const Message = z.looseObject({
  info: z.looseObject({
    id: z.string(),
    role: z.string(),
    finish: z.string().optional(),
    error: z.looseObject({ name: z.string().optional() }).optional(),
  }),
  parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});
type Message = z.infer<typeof Message>;

export class OldApi implements SessionApi {
  readonly keepsLog = false;
  readonly #client: ServerClient;
  /** Turns whose request is open, by session. */
  readonly #open = new Map<string, number>();

  constructor(client: ServerClient) {
    this.#client = client;
  }

  async create(): Promise<string> {
    return (await this.#client.post("/session", Created, {})).id;
  }

  async knows(session: string, prompt: string): Promise<boolean> {
    return (await this.messages(session)).some(({ info }) => info.id === prompt);
  }

  /** The request stays open as long as the turn takes. What becomes of it later is read from the messages. */
  async prompt(session: string, prompt: string, text: string): Promise<void> {
    const before = await this.#partsOf(session, prompt);
    const body = {
      messageID: prompt,
      model: { providerID: MODEL.providerID, modelID: MODEL.id },
      parts: [{ type: "text", text }],
    };
    this.#open.set(session, (this.#open.get(session) ?? 0) + 1);
    let end: { readonly error: unknown } | undefined;
    void this.#client
      .postTurn(`/session/${session}/message`, z.unknown(), body)
      .then(
        () => undefined,
        (error: unknown) => error,
      )
      .then((error) => {
        end = { error };
        this.#open.set(session, (this.#open.get(session) ?? 1) - 1);
      });
    while (end === undefined && (await this.#partsOf(session, prompt)) === before) await delay(POLL_MS);
    if (end?.error !== undefined) throw end.error;
  }

  async state(session: string, prompts: readonly string[]): Promise<TurnState> {
    const open = this.#open.get(session) ?? 0;
    const status = await this.#client.get("/session/status", Status);
    const answer = answerTo(await this.messages(session), prompts);
    if (answer !== null && open === 0) return answer;
    const busy = open > 0 || (status[session] !== undefined && status[session].type !== "idle");
    return { kind: busy ? "running" : "idle" };
  }

  async log(): Promise<null> {
    return null;
  }

  messages(session: string): Promise<Message[]> {
    return this.#client.get(`/session/${session}/message`, z.array(Message));
  }

  async interrupt(session: string): Promise<boolean> {
    try {
      return await this.#client.post(`/session/${session}/abort`, z.boolean(), {});
    } catch (error) {
      if (error instanceof ServerRefusal && error.status < 500) return false;
      throw error;
    }
  }

  /** A prompt that is handed in again gets its text a second time. */
  async #partsOf(session: string, prompt: string): Promise<number> {
    return (await this.messages(session)).find(({ info }) => info.id === prompt)?.parts.length ?? 0;
  }
}

/** How the turn ended that began with the last of these prompts; null while it has not. */
function answerTo(messages: readonly Message[], prompts: readonly string[]): TurnState | null {
  const begins = messages.findLastIndex(({ info }) => prompts.includes(info.id));
  if (begins === -1) return null;
  const next = messages.findIndex(({ info }, index) => index > begins && info.role === "user");
  const turn = messages.slice(begins + 1, next === -1 ? undefined : next);
  const last = turn.findLast(({ info }) => info.role === "assistant");
  if (last === undefined) return null;
  if (last.info.error !== undefined) return { kind: "failed", reason: last.info.error.name ?? "an error" };
  if (last.info.finish === undefined || last.info.finish === "tool-calls") return null;
  const text = last.parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
  return { kind: "answered", text: text.join("") };
}
