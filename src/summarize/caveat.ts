/** What a result is worth by the host and the runtime that it was obtained on: said wherever the result is, for people and for programs. */
import type { ContainerKind } from "../trace/levels.ts";
import type { Environment, HostIdentity } from "../trace/spec.ts";

/** docs/stand-in.md, "What a result on it is worth". */
export const STAND_IN_CAVEAT =
  "a result obtained on the stand-in says how the harness and the runtime behave around a host that follows " +
  "OpenCode's published contract; it is not a measurement of OpenCode";

/** docs/deployed.md, "What a rehearsal is worth". */
export const REHEARSAL_CAVEAT =
  "runtime: rehearsal; processes of one machine stood in for deployed Workers, and nothing was measured on Cloudflare's network";

/** docs/subjects.md, "`container`", by what stood for the container. */
export const CONTAINER_CAVEATS: Readonly<Record<ContainerKind, string>> = {
  process:
    "where an agent works in a container, harness, daemon and agent are real; a process group of this machine stood for the " +
    "container, and nothing was measured of Cloudflare's placement and snapshots",
};

/** Null where nothing limits it, or no trace tells the host. `environment`: of one of its traces, where there is one. */
export function caveatOf(
  host: HostIdentity | null,
  environment: Pick<Environment, "runtime"> | null = null,
): string | null {
  const caveats = [
    ...(host?.kind === "stand-in" ? [STAND_IN_CAVEAT] : []),
    ...(environment?.runtime === "rehearsal" ? [REHEARSAL_CAVEAT] : []),
  ];
  return caveats.length === 0 ? null : caveats.join("; ");
}
