/** Whether a rule is for a request, and what its stars stand for there. Pure. */
import type { Match } from "./gate-rules.ts";

/** @returns What each `*` of the address stands for, or null where the rule is for other requests. */
export function matchRequest(match: Match, method: string, url: string): readonly string[] | null {
  const space = match.indexOf(" ");
  const wanted = match.slice(0, space);
  if (wanted !== "*" && wanted !== method.toUpperCase()) return null;
  const pattern = normalised(match.slice(space + 1));
  const asked = new URL(url);
  asked.hash = "";
  if (!pattern.includes("?")) asked.search = "";
  // A WebSocket is asked for with a request of HTTP.
  return starsOf(pattern, asked.href.replace(/^ws/, "http"));
}

/** As `URL` writes an address; `*` may stand where it allows none, such as in a port. */
function normalised(pattern: string): string {
  const [, scheme = "", host = "", rest = ""] = /^([a-z]+):\/\/([^/?]*)(.*)$/.exec(pattern) ?? [];
  const secure = scheme.endsWith("s");
  const named = host.toLowerCase().replace(secure ? /:443$/ : /:80$/, "");
  // What ends in a star goes on into the path.
  const path = rest === "" && named.endsWith("*") ? "" : rest.startsWith("/") ? rest : `/${rest}`;
  return `${secure ? "https" : "http"}://${named}${path}`;
}

/** Each star takes as little as it can, from left to right, and the last one the rest. */
function starsOf(pattern: string, text: string): string[] | null {
  const [first = "", ...others] = pattern.split("*");
  if (!text.startsWith(first)) return null;
  const last = others.pop();
  if (last === undefined) return text === first ? [] : null;
  const stars: string[] = [];
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return null;
    stars.push(text.slice(at, found));
    at = found + part.length;
  }
  const end = text.length - last.length;
  if (end < at || !text.endsWith(last)) return null;
  return [...stars, text.slice(at, end)];
}
