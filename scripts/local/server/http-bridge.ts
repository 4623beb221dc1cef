/** A Node server in front of a handler that speaks `Request` and `Response`, as Workers do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Largest request body, in bytes. A model request carries a whole conversation. */
const BODY_BYTES_MAX = 1024 * 1024;

type Handler = (request: Request) => Response | Promise<Response>;

/** Listens on 127.0.0.1. A request's `signal` is aborted when its client leaves. */
export async function listen(port: number, handler: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    // A client that is killed in the middle of an answer is what is being tried here.
    answer(request, response, handler).catch(() => response.destroy());
  });
  // Callers keep connections; one that is closed at the moment it is used again would look like a lost request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

/** Stops listening and cuts what is still open. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, handler: Handler): Promise<void> {
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      outgoing.writeHead(413).end();
      return;
    }
    chunks.push(chunk);
  }
  const method = incoming.method ?? "GET";
  const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method,
    headers: Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    ...(method === "GET" || method === "HEAD" ? {} : { body: Buffer.concat(chunks) }),
    signal: left.signal,
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}
