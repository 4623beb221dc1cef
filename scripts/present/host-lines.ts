/** Names the OpenCode host and says what a result on it is worth: shown before a run, above every table. */
import type { HostIdentity } from "../../src/trace/spec.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { wrap } from "./wrap.ts";

/** docs/stand-in.md, "What a result on it is worth". */
export const STAND_IN_CAVEAT =
  "a result obtained on the stand-in says how the harness and the runtime behave around a host that follows " +
  "OpenCode's published contract; it is not a measurement of OpenCode";

export function hostLines(host: HostIdentity | null, paint: Paint = PLAIN): string[] {
  if (host === null) return ["host: unknown, no trace could be read"];
  const named = `host: ${paint("bold", host.kind)} (${`${host.name} ${host.version}`.trim()})`;
  return host.kind === "stand-in" ? [named, ...wrap(STAND_IN_CAVEAT, "  ")] : [named];
}

/** The host that a run is going to use, and why. */
export function choiceLines({ kind, name, version, reason }: HostChoice, paint: Paint = PLAIN): string[] {
  return [...hostLines({ kind, name, version }, paint), ...wrap(`chosen because: ${reason}`, "  ")];
}
