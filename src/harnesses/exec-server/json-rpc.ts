/**
 * One connection to an exec server: JSON-RPC messages over a WebSocket, as `codex exec-server` speaks it (without the field
 * `jsonrpc`). What the server tells by itself is not listened to.
 */
import { z } from "zod";

const Answer = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The server answered with an error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
}

/** The connection ended before an answer came. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

export class RpcConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #isOpen = true;

  /** `socket`: accepted, or open. */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", () => this.#lose());
    socket.addEventListener("error", () => this.#lose());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @throws RpcError, or ConnectionLost as soon as there is nobody to answer. */
  async ask<T>(method: string, params: object, schema: z.ZodType<T>): Promise<T> {
    if (!this.#isOpen) throw new ConnectionLost(`${method}: the connection is closed`);
    const id = ++this.#last;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return schema.parse(await answer);
  }

  tell(method: string): void {
    this.#socket.send(JSON.stringify({ method, params: {} }));
  }

  #take(data: unknown): void {
    const text = typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer);
    const answer = Answer.safeParse(JSON.parse(text));
    if (!answer.success) return;
    const { id, result, error } = answer.data;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new RpcError(error.message));
  }

  #lose(): void {
    this.#isOpen = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ConnectionLost("the connection ended before the answer"));
  }
}
