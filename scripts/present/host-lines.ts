/** Names the OpenCode host and says what a result on it is worth: shown before a run, above every table. */
import { caveatOf } from "../../src/summarize/caveat.ts";
import type { HostIdentity } from "../../src/trace/spec.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { wrap } from "./wrap.ts";

/** `caveat`: what a result on it is worth; null where nothing limits it. */
export function hostLines(
  host: HostIdentity | null,
  caveat: string | null,
  { paint, width }: Page = PLAIN_PAGE,
): string[] {
  if (host === null) return ["host: unknown, no trace could be read"];
  const named = `host: ${paint("bold", host.kind)} (${`${host.name} ${host.version}`.trim()})`;
  return caveat === null ? [named] : [named, ...wrap(caveat, width, "  ")];
}

/** The host that a run is going to use, and why. */
export function choiceLines({ kind, name, version, reason }: HostChoice, page: Page = PLAIN_PAGE): string[] {
  const host = { kind, name, version };
  return [...hostLines(host, caveatOf(host), page), ...wrap(`chosen because: ${reason}`, page.width, "  ")];
}
