/** What a result is worth by the host that it was obtained on: said wherever the result is, for people and for programs. */
import type { HostIdentity } from "../trace/spec.ts";

/** docs/stand-in.md, "What a result on it is worth". */
export const STAND_IN_CAVEAT =
  "a result obtained on the stand-in says how the harness and the runtime behave around a host that follows " +
  "OpenCode's published contract; it is not a measurement of OpenCode";

/** Null where nothing limits it, or no trace tells the host. */
export function caveatOf(host: HostIdentity | null): string | null {
  return host?.kind === "stand-in" ? STAND_IN_CAVEAT : null;
}
