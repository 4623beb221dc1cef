/**
 * Typed HTTP calls between the kit's Workers and the CLI: one request, one parsed answer, no retry. Works over a
 * service binding and over plain `fetch`, because both are passed in.
 *
 * Leaves to others: what to do about a failure. Nothing here retries, since a retry inside a measurement would
 * be an attempt that nobody ordered.
 */
import { z } from "zod";
import { ErrorBody } from "../trace/protocol/refusals.ts";
import { looksRight } from "../trace/quick-check.ts";

/** The part of `fetch` that is used: a service binding's or the global one's. */
export type FetchLike = (url: string, init?: RequestInit) => Promise<Response>;

/** Where a peer lives: its `fetch`, the base URL to put before paths, and the shared secret. */
export type Peer = { readonly fetch: FetchLike; readonly base: string; readonly secret: string };

/** The peer answered with an error status. `code` is the peer's own, or `http-<status>`. */
export class PeerError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "PeerError";
    this.status = status;
    this.code = code;
  }
}

/** The peer answered something that its protocol does not allow. */
class PeerProtocolError extends Error {
  override readonly name = "PeerProtocolError";
}

export type CallOptions = {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Is given the headers of any answer, a refusal's too. */
  readonly onAnswer?: (headers: Headers) => void;
};

/**
 * Sends one request and parses the answer with `schema`.
 *
 * @throws PeerError for an error status, PeerProtocolError for an answer of the wrong shape, and whatever the
 * transport throws when the connection is lost.
 */
export async function call<T>(
  peer: Peer,
  method: "GET" | "POST" | "PUT",
  path: string,
  schema: z.ZodType<T>,
  options: CallOptions = {},
): Promise<T> {
  const response = await send(peer, method, path, options);
  const answer: unknown = await response.json().catch(() => undefined);
  if (looksRight(schema, answer)) return answer as T;
  const parsed = schema.safeParse(answer);
  if (!parsed.success)
    throw new PeerProtocolError(`${method} ${path}: unexpected answer: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Sends one request and returns the raw answer. @throws PeerError for an error status. */
export async function send(
  peer: Peer,
  method: "GET" | "POST" | "PUT",
  path: string,
  options: CallOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${peer.secret}` };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  const response = await peer.fetch(peer.base + path, {
    method,
    headers,
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  options.onAnswer?.(response.headers);
  if (response.ok) return response;
  const text = await response.text();
  const parsed = ErrorBody.safeParse(parseJson(text));
  if (parsed.success) throw new PeerError(response.status, parsed.data.error.code, parsed.data.error.message);
  throw new PeerError(response.status, `http-${response.status}`, text.slice(0, 500));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
