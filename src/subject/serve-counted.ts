/**
 * Requests of the kit to an object, counted in its storage: whoever says that an object was left alone can be held to the
 * object's own count. Leaves what is answered to `serve-request.ts`.
 */
import { REQUESTS_HEADER, SERVED_BY_HEADER } from "../trace/protocol/subject-protocol.ts";
import type { Activation } from "./activation.ts";
import { type SubjectRequests, serveRequest } from "./serve-request.ts";

/** Counts the request and serves it; the answer names the activation that gave it. */
export async function serveCounted(
  request: Request,
  subject: SubjectRequests,
  activation: Activation,
): Promise<Response> {
  // What a reset takes with it cannot be counted.
  const isReset = new URL(request.url).pathname.endsWith("/reset");
  const count = isReset ? null : activation.countRequest();
  const answer = await serveRequest(request, subject);
  const headers = new Headers(answer.headers);
  headers.set(SERVED_BY_HEADER, activation.id);
  if (count !== null) headers.set(REQUESTS_HEADER, String(count));
  return new Response(answer.body, { status: answer.status, headers });
}
