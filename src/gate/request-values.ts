/** What the rules read out of a request, and the answers that they make of what the ledger says. Pure. */
import { PLACE, type ResponseTemplate, type ValueSource } from "./gate-rules.ts";

/** A request as the rules see it. */
export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  /** What the stars of the rule stand for. */
  readonly stars: readonly string[];
};

/** Longest text of what is to be changed that goes to the ledger as it is; a longer one is told by its hash. */
const PAYLOAD_MAX = 7_000;
const KEY_MAX = 200;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Null where the request does not have it. */
export async function readValue(source: ValueSource, seen: SeenRequest): Promise<string | null> {
  if (typeof source === "string") return source;
  if ("header" in source) return nonEmpty(seen.headers.get(source.header));
  if ("query" in source) return nonEmpty(new URL(seen.url).searchParams.get(source.query));
  if ("star" in source) return nonEmpty(seen.stars[source.star - 1] ?? null);
  if ("hash" in source) return sha256(payloadOf(seen));
  return textOf(fieldOf(parse(seen.body), source.body));
}

/** As a ledger's key: what is too long for one is told by its hash. */
export async function readKey(source: ValueSource | undefined, seen: SeenRequest): Promise<string | null> {
  const value = source === undefined ? null : await readValue(source, seen);
  return value === null || value.length <= KEY_MAX ? value : `sha256:${await sha256(value)}`;
}

/** What the request is to change: equal for two requests that ask for the same. */
export function payloadOf({ method, url, body }: SeenRequest): string {
  return `${method} ${url}\n${body}`;
}

export async function ledgerPayload(seen: SeenRequest): Promise<string> {
  const payload = payloadOf(seen);
  return payload.length <= PAYLOAD_MAX ? payload : `sha256:${await sha256(payload)}`;
}

export type Values = Readonly<Record<string, Json | undefined>>;

/** The answer that the destination itself would give. */
export function responseOf({ status, headers, body }: ResponseTemplate, values: Values, seen: SeenRequest) {
  const filled = fill(body as Json, values, seen);
  const written = Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, textOf(fill(text, values, seen)) ?? ""]),
  );
  // A status that allows no body gets none.
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers: written });
  if (typeof filled === "string") return new Response(filled, { status, headers: written });
  return Response.json(filled, { status, headers: written });
}

const WHOLE = /^\{\{\s*([a-z]+)(?::([^{}]*?))?\s*\}\}$/i;

export function fill(template: Json, values: Values, seen: SeenRequest): Json {
  if (typeof template === "string") {
    const whole = WHOLE.exec(template);
    if (whole !== null) return valueAt(whole[1] ?? "", whole[2], values, seen);
    return template.replace(
      PLACE,
      (_, name: string, of: string | undefined) => textOf(valueAt(name, of, values, seen)) ?? "",
    );
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, values, seen));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, fill(value, values, seen)]),
  );
}

function valueAt(name: string, of: string | undefined, values: Values, seen: SeenRequest): Json {
  if (name === "body") return fieldOf(parse(seen.body), of ?? "") ?? null;
  if (name === "star") return seen.stars[Number(of) - 1] ?? null;
  return (Object.hasOwn(values, name) ? values[name] : undefined) ?? null;
}

function fieldOf(value: Json | undefined, path: string): Json | undefined {
  let at = value;
  for (const name of path.split(".").filter((part) => part !== "")) {
    if (typeof at !== "object" || at === null || !Object.keys(at).includes(name)) return undefined;
    at = (at as Record<string, Json>)[name];
  }
  return at;
}

/** Texts and numbers as they are; a list or an object as JSON. Null for what is empty or absent. */
function textOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return nonEmpty(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function nonEmpty(text: string | null): string | null {
  return text === "" ? null : text;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
