/**
 * `fetch` to the kit's own local processes, one connection per request. A kept connection may be closed by workerd at
 * the moment it is used again, and a POST that fails like that could not be told from one that was lost.
 */
import type { FetchLike } from "../../../src/link/call.ts";

export const localFetch: FetchLike = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(url, { ...init, headers });
};
