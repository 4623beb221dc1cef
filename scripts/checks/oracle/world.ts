/**
 * The outside world of both sides, in the process of the oracle: the scripted model and the place where tools leave
 * their effects. It never dies, so what it saw counts. One world serves one side after the other, by session.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Purpose, viewOf } from "../../../src/model/conversation.ts";
import { ChatRequest } from "../../../src/model/request.ts";

export type Call = { readonly id: string; readonly name: string; readonly arguments: string };

/** One answer of the model; the n-th turn request of a session gets the n-th of its script. */
export type Answer = {
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** An HTTP error instead of an answer. */
  readonly status?: number;
  /** A gate at which the stream stops after everything is said, before its finish reason. */
  readonly pauseBeforeFinish?: string;
};

type Asked = { readonly purpose: Purpose; readonly request: ChatRequest };

/** Longer than anything here takes on a slow machine; reaching it means that a scenario waits for the wrong thing. */
const PATIENCE_MS = 60_000;
/** Both sides name the session in it. */
const SESSION_HEADER = "x-session-id";
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export class World {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #scripts = new Map<string, readonly Answer[]>();
  readonly #asked = new Map<string, Asked[]>();
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #effects: string[] = [];
  /** Requests that no script foresaw. */
  readonly unforeseen: string[] = [];
  #waiting: (() => void)[] = [];

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve()));
  }

  /** Closes what is held as well, so that a tool which outlived its host ends too. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Before a side plays a scenario: the effects of the other one are not its own. */
  forget(): void {
    for (const gate of this.#gates.values()) gate.resolve();
    this.#gates.clear();
    this.#effects.length = 0;
  }

  script(session: string, answers: readonly Answer[]): void {
    this.#scripts.set(session, answers);
  }

  /** What the session's model was asked so far. */
  asked(session: string, purpose: Purpose = "turn"): Asked[] {
    return (this.#asked.get(session) ?? []).filter((asked) => asked.purpose === purpose);
  }

  /** How often the effect was asked for. */
  effects(name: string): number {
    return this.#effects.filter((effect) => effect === name).length;
  }

  /** The command line of a tool call that leaves an effect. The effect happens before the answer is held. */
  effectCall(id: string, name: string): Call {
    const input = { command: `curl -s ${this.url}/effect/${name}`, description: `Leaves the effect ${name}` };
    return { id, name: "bash", arguments: JSON.stringify(input) };
  }

  /** Holds answers at the gate until it is opened. */
  hold(gate: string): void {
    this.#gates.set(gate, Promise.withResolvers<void>());
  }

  open(gate: string): void {
    this.#gates.get(gate)?.resolve();
  }

  /** Resolves when the condition holds; it is looked at whenever something reaches the world. */
  async until(what: string, holds: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!holds()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`Waited ${patienceMs} ms in vain until ${what}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const effect = /^\/effect\/([\w-]+)$/.exec(request.url ?? "")?.[1];
    if (effect !== undefined) {
      this.#effects.push(effect);
      this.#changed();
      await this.#gates.get(effect)?.promise;
      response.end(`recorded ${effect}\n`);
      return;
    }
    const parsed = ChatRequest.safeParse(JSON.parse(await bodyOf(request)));
    if (!parsed.success) {
      this.unforeseen.push(`an unreadable model request: ${parsed.error.message}`);
      response.writeHead(400).end();
      return;
    }
    const session = String(request.headers[SESSION_HEADER] ?? "");
    const { purpose } = viewOf(parsed.data);
    const number = this.asked(session).length;
    this.#asked.set(session, [...(this.#asked.get(session) ?? []), { purpose, request: parsed.data }]);
    this.#changed();
    if (purpose !== "turn") return this.#stream(response, parsed.data.model, { text: "A title" });
    const answer = this.#scripts.get(session)?.[number];
    if (answer === undefined) this.unforeseen.push(`model request ${number + 1} of session ${session}`);
    if (answer?.status === undefined)
      return this.#stream(response, parsed.data.model, answer ?? { text: "?" });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Refused by the script", type: "script" } }));
  }

  async #stream(response: ServerResponse, model: string, answer: Answer): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (part: object) =>
      response.write(
        `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model, ...part })}\n\n`,
      );
    const delta = (value: object) => send({ choices: [{ index: 0, delta: value, finish_reason: null }] });
    delta({ role: "assistant", content: "" });
    for (const content of halves(answer.text ?? "")) delta({ content });
    for (const [index, call] of (answer.calls ?? []).entries()) {
      delta({
        tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }],
      });
      for (const fragment of halves(call.arguments))
        delta({ tool_calls: [{ index, function: { arguments: fragment } }] });
    }
    if (answer.pauseBeforeFinish !== undefined) await this.#gates.get(answer.pauseBeforeFinish)?.promise;
    const finish = answer.calls === undefined ? "stop" : "tool_calls";
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    send({ choices: [], usage: USAGE });
    response.end("data: [DONE]\n\n");
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** Real models speak in pieces. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
