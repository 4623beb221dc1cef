/**
 * The admission check of everything that the kit serves: the three Workers and the server slots. It looks at the secret,
 * then the method, then the size of the body, before anything is named or touched; ids, query and body are parsed
 * with the functions below by the route that needs them. What does not pass is a `Refusal`.
 *
 * Leaves to others: the codes (`src/trace/protocol/refusals.ts`), the shapes (`src/trace/protocol/`), and every refusal
 * that depends on what a trial has become. The ledger imports this file too, so it imports nothing but `src/trace`.
 */
import { createHash } from "node:crypto";
import type { Context, Env, ErrorHandler, MiddlewareHandler, NotFoundHandler } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import type { z } from "zod";
import { TrialId } from "../trace/ids.ts";
import { type ErrorBody, REFUSAL_STATUS, type RefusalCode } from "../trace/protocol/refusals.ts";
import { looksRight } from "../trace/quick-check.ts";

/**
 * A secret that can be used: 16 random characters are beyond guessing over a network, and a bearer header carries no
 * others than these (RFC 6750). One that does not fit is taken for a mistake.
 */
const USABLE_SECRET = /^(?=.{16})[A-Za-z0-9._~+/-]+=*$/;

/** What the kit's typed calls send (`src/link/call.ts`). */
const METHODS: readonly string[] = ["GET", "POST", "PUT"];

/** Thrown by whoever refuses; inside a transaction it undoes it, so that a refused request leaves no trace in storage. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }

  toResponse(): Response {
    return errorResponse(REFUSAL_STATUS[this.code], this.code, this.message);
  }
}

/** An error answer in the kit's shape, for one who passes on what another process said. */
export function errorResponse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } } satisfies ErrorBody, { status });
}

export type Admission<E extends Env> = {
  /** The secret that opens this request; undefined where a deployment has none. */
  readonly secret: (c: Context<E>) => string | undefined;
  /** Largest body of this request, in bytes. */
  readonly bodyBytesMax: (c: Context<E>) => number;
};

/**
 * Lets a request pass, or throws its refusal. The secret comes first, so that a stranger learns nothing about methods,
 * routes and limits. A request that passes has its whole body in memory.
 */
export function admit<E extends Env>(admission: Admission<E>): MiddlewareHandler<E> {
  return async (c, next) => {
    await verifySecret(c, admission.secret(c));
    if (!METHODS.includes(c.req.method))
      throw new Refusal("method-unknown", `Send one of ${METHODS.join(", ")}, not ${c.req.method}.`);
    const body = await readBytes(c.req.raw, admission.bodyBytesMax(c));
    if (body !== null) c.req.raw = withBody(c.req.raw, body);
    await next();
  };
}

/**
 * The comparison is Hono's: it goes over digests and whole texts, so that its time says nothing about where they differ.
 * Its answers are not used, since each of its three complaints is the same refusal here.
 */
async function verifySecret(c: Context, secret: string | undefined): Promise<void> {
  if (secret === undefined || !USABLE_SECRET.test(secret))
    throw new Refusal(
      "secret-not-configured",
      "Set the secret KIT_SECRET to at least 16 characters of A-Z, a-z, 0-9, '.', '_', '~', '+', '/', '-'.",
    );
  if (checkOf?.secret !== secret) checkOf = { secret, check: checkFor(secret) };
  await checkOf.check(c, async () => {});
}

/** Of the last secret seen: a process has one. */
let checkOf: { readonly secret: string; readonly check: MiddlewareHandler } | undefined;

function checkFor(secret: string): MiddlewareHandler {
  const refuse = {
    message: (): never => {
      throw new Refusal("secret-wrong", "Send the header Authorization: Bearer <KIT_SECRET>.");
    },
  };
  return bearerAuth({
    token: secret,
    // Hono's own hash is asynchronous, which costs more than all else here.
    hashFunction: (text: string) => createHash("sha256").update(text, "utf8").digest("hex"),
    noAuthenticationHeader: refuse,
    invalidAuthenticationHeader: refuse,
    invalidToken: refuse,
  });
}

/**
 * The body's bytes, or null when the request has none. Counts what arrives and believes no `content-length`, for two
 * reasons. Through a service binding a caller may announce what it likes (`ledger-worker/tests/refusals.test.ts` does), so
 * Hono's `bodyLimit`, which counts only what is not announced, does not serve. And a Worker that refuses before it reads
 * closes the connection on a client that still sends: measured over HTTP with one byte too many of 1 MiB, 2 of 30 clients
 * never got to read why; with reading up to the limit, all did.
 */
async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (request.body === null) return null;

  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > bytesMax) {
      await reader.cancel();
      throw tooLarge(bytesMax);
    }
    chunks.push(value);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/** HTTP allows a GET a body that means nothing. `Request` does not, so it ends here. */
function withBody(request: Request, body: Uint8Array<ArrayBuffer>): Request {
  if (request.method !== "GET") return new Request(request, { body });
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal });
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal("body-too-large", `body: expected at most ${bytesMax} bytes.`);
}

/** A trial's id out of a path. */
export function parseTrialId(text: string | undefined): TrialId {
  const parsed = TrialId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new Refusal("trial-id-invalid", `trial: ${parsed.error.issues[0]?.message ?? "invalid"}.`);
}

/** The request's JSON in the shape of `schema`. Decodes strictly: a body that is not UTF-8 is not JSON either. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  const input = parseJson(await c.req.arrayBuffer());
  return looksRight(schema, input) ? (input as T) : parseInput(schema, input, "body");
}

/** JSON in UTF-8, or the refusal that says why it is none. */
export function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw new Refusal(
      "body-not-json",
      `body: expected JSON in UTF-8 (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

/** Parses what came in, or refuses with a sentence that shows the path and what was expected there. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, part: "body" | "query"): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = [part, ...(issue?.path ?? [])].map(String).join(".").slice(0, 300);
  throw new Refusal(`${part}-invalid`, `${path}: ${issue === undefined ? "invalid" : explain(issue)}.`);
}

function explain(issue: z.core.$ZodIssue): string {
  // zod says only "Invalid input" when no member of a union fits.
  if (issue.code === "invalid_union" && issue.discriminator !== undefined)
    return `no known ${issue.discriminator}; expected one of those in src/trace/records.ts`;
  return issue.message.slice(0, 600);
}

/**
 * The `onError` of every app. A refusal answers for itself; anything else is a fault. With a `sentence` the caller learns
 * nothing else about it, and the error is logged; without one it learns the error's own message.
 */
export function answerError(fault: RefusalCode, sentence?: string): ErrorHandler {
  return (error) => {
    if (error instanceof Refusal) return error.toResponse();
    if (sentence !== undefined) console.error(error);
    return new Refusal(fault, sentence ?? error.message).toResponse();
  };
}

/** The `notFound` of every app. */
export const answerNotFound: NotFoundHandler = (c) =>
  new Refusal("route-unknown", `No such route: ${c.req.method} ${c.req.path}.`).toResponse();
