/**
 * The shared secret's check, for every Worker of the kit but the ledger (which imports only `src/trace`). Fails
 * closed: a Worker without a usable secret answers 503 to everything.
 */
import type { ErrorBody } from "../trace/protocol/ledger-protocol.ts";

/** Shorter secrets are treated as missing. */
const SECRET_LENGTH_MIN = 16;

/** An error answer in the kit's shape. */
export function refusal(status: number, code: string, message: string): Response {
  const body: ErrorBody = { error: { code, message } };
  return Response.json(body, { status });
}

/**
 * The refusal for a request that may not pass, or null when it may: the secret first, then the announced size of the
 * body, so that a stranger learns nothing about limits.
 */
export async function checkRequest(
  request: Request,
  secret: string | undefined,
  bodyBytesMax: number,
): Promise<Response | null> {
  const refused = await checkSecret(request, secret);
  if (refused !== null) return refused;
  if (Number(request.headers.get("content-length") ?? 0) <= bodyBytesMax) return null;
  return refusal(413, "too-large", `a request body may have ${bodyBytesMax} bytes at most`);
}

/** The secret alone, for whoever limits sizes elsewhere. */
export async function checkSecret(request: Request, secret: string | undefined): Promise<Response | null> {
  if (secret === undefined || secret.length < SECRET_LENGTH_MIN)
    return refusal(
      503,
      "secret-not-configured",
      `KIT_SECRET is missing or shorter than ${SECRET_LENGTH_MIN} characters`,
    );
  const given = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
  return (await sameText(given, secret))
    ? null
    : refusal(401, "wrong-secret", "the bearer secret is missing or wrong");
}

/** Compares digests, so that the time taken says nothing about where the texts differ. */
async function sameText(a: string, b: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [left, right] = await Promise.all(
    [a, b].map(async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)))),
  );
  let difference = 0;
  for (let i = 0; i < 32; i++) difference |= (left?.[i] ?? 0) ^ (right?.[i] ?? 1);
  return difference === 0;
}
