/** The bridge over a real socket: the handler's admission check measures what arrives, and its answers reach the client. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { afterEach, expect, it } from "vitest";
import { admit, answerError } from "../../../src/link/admission.ts";
import { ErrorBody } from "../../../src/trace/protocol/refusals.ts";
import { close, listen } from "./http-bridge.ts";

const SECRET = "a-secret-for-tests-only";
const BODY_BYTES_MAX = 100_000;
const signed = { authorization: `Bearer ${SECRET}` };

let server: Server | undefined;
afterEach(async () => {
  if (server !== undefined) await close(server);
  server = undefined;
});

/** Serves an app that answers how many bytes it got, or waits for its client to leave. */
async function serve(told: Partial<Record<"onEntered" | "onLeft", () => void>> = {}): Promise<string> {
  const app = new Hono();
  app.onError(answerError("slot-failed"));
  app.use(admit({ secret: () => SECRET, bodyBytesMax: () => BODY_BYTES_MAX }));
  app.post("/size", async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }));
  app.post("/wait", (c) => {
    const { signal } = c.req.raw;
    told.onEntered?.();
    return new Promise<Response>((resolve) => {
      signal.addEventListener("abort", () => {
        told.onLeft?.();
        resolve(c.json({}));
      });
    });
  });
  server = await listen(0, (request) => app.fetch(request));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const announced = (bytes: number) => ({ body: new Uint8Array(bytes) });
const chunked = (bytes: number) => ({
  body: new Blob([new Uint8Array(bytes)]).stream(),
  duplex: "half" as const,
});

it.each([
  ["announced", announced],
  ["chunked", chunked],
])("takes a body up to the limit and refuses a larger one (%s)", async (_how, body) => {
  const base = await serve();
  const post = (bytes: number) => fetch(`${base}/size`, { method: "POST", headers: signed, ...body(bytes) });
  expect(await (await post(BODY_BYTES_MAX)).json()).toEqual({ bytes: BODY_BYTES_MAX });
  for (const bytes of [BODY_BYTES_MAX + 1, 50 * BODY_BYTES_MAX]) {
    const refused = await post(bytes);
    expect(refused.status).toBe(413);
    expect(ErrorBody.parse(await refused.json()).error.code).toBe("body-too-large");
  }
  // The connection serves the next request.
  expect(await (await post(3)).json()).toEqual({ bytes: 3 });
});

it("answers a stranger without reading what it sends", async () => {
  const base = await serve();
  const refused = await fetch(`${base}/size`, { method: "POST", ...chunked(50 * BODY_BYTES_MAX) });
  expect(refused.status).toBe(401);
  expect(ErrorBody.parse(await refused.json()).error.code).toBe("secret-wrong");
});

it("tells the handler that its client has left, after the body was read", async () => {
  const { promise: left, resolve: onLeft } = Promise.withResolvers<void>();
  const { promise: entered, resolve: onEntered } = Promise.withResolvers<void>();
  const base = await serve({ onEntered, onLeft });
  const client = new AbortController();
  const { signal } = client;
  fetch(`${base}/wait`, { method: "POST", headers: signed, ...announced(10), signal }).catch(() => undefined);
  await entered;
  client.abort();
  await left;
});
