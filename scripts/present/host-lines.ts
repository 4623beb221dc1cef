/** Names the OpenCode host and says what a result on it is worth: shown before a run, above every table. */
import type { HostIdentity } from "../../src/trace/spec.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { wrap } from "./wrap.ts";

/** docs/stand-in.md, "What a result on it is worth". */
export const STAND_IN_CAVEAT =
  "a result obtained on the stand-in says how the harness and the runtime behave around a host that follows " +
  "OpenCode's published contract; it is not a measurement of OpenCode";

export function hostLines(host: HostIdentity | null, { paint, width }: Page = PLAIN_PAGE): string[] {
  if (host === null) return ["host: unknown, no trace could be read"];
  const named = `host: ${paint("bold", host.kind)} (${`${host.name} ${host.version}`.trim()})`;
  return host.kind === "stand-in" ? [named, ...wrap(STAND_IN_CAVEAT, width, "  ")] : [named];
}

/** The host that a run is going to use, and why. */
export function choiceLines({ kind, name, version, reason }: HostChoice, page: Page = PLAIN_PAGE): string[] {
  return [
    ...hostLines({ kind, name, version }, page),
    ...wrap(`chosen because: ${reason}`, page.width, "  "),
  ];
}
