/** Requests to the server, one at a time and none repeated: a refusal or a lost connection is thrown. */
import type { z } from "zod";
import type { ServerProcess } from "./server-process.ts";

/** Every request here but a whole turn is answered at once. */
const REQUEST_MS = 30_000;

/** How a refusal ends that stands for a route which the server's version does not have. */
export const NO_ROUTE = "this version of the server has no such route";

/** The server refused a request. */
export class ServerRefusal extends Error {
  override readonly name = "ServerRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class ServerClient {
  readonly #process: ServerProcess;

  constructor(process: ServerProcess) {
    this.#process = process;
  }

  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.#send("GET", path, schema, undefined, AbortSignal.timeout(REQUEST_MS));
  }

  post<T>(path: string, schema: z.ZodType<T>, body: unknown): Promise<T> {
    return this.#send("POST", path, schema, body, AbortSignal.timeout(REQUEST_MS));
  }

  /** A request that the server answers when a turn is over. */
  postTurn<T>(path: string, schema: z.ZodType<T>, body: unknown): Promise<T> {
    return this.#send("POST", path, schema, body, null);
  }

  async #send<T>(
    method: string,
    path: string,
    schema: z.ZodType<T>,
    body: unknown,
    signal: AbortSignal | null,
  ): Promise<T> {
    const response = await fetch(`${this.#process.url}${path}`, {
      method,
      headers: {
        authorization: this.#process.authorization,
        "content-type": "application/json",
        connection: "close",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = await response.text();
    if (!response.ok)
      throw new ServerRefusal(
        response.status,
        `${method} ${path}: ${response.status} ${text.slice(0, 1_000)}`,
      );
    // What a version does not have is answered with the page of its user interface.
    if (response.headers.get("content-type")?.includes("text/html"))
      throw new ServerRefusal(404, `${method} ${path}: ${NO_ROUTE}`);
    return schema.parse(text === "" ? null : JSON.parse(text));
  }
}
