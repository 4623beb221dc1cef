/**
 * A Node server in front of a handler that speaks `Request` and `Response`, as Workers do. Limits nothing: a body arrives
 * as the handler reads it, so the handler's own admission check measures it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

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
  const method = incoming.method ?? "GET";
  const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method,
    headers: Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
    ...(method === "GET" || method === "HEAD" ? {} : { body: bodyOf(incoming), duplex: "half" }),
    signal: left.signal,
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}

/** Reads on demand. A reader that stops early leaves the connection whole, for the answer that says why. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return?.();
        // The client may not read the answer before it has sent everything.
        incoming.resume();
      },
    },
    { highWaterMark: 0 },
  );
}
