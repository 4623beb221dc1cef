/** What a result is worth by the host and the runtime that it was obtained on: said wherever the result is, for people and for programs. */
import type { ContainerKind } from "../trace/levels.ts";
import type { Environment, HostIdentity, TrialSpec } from "../trace/spec.ts";

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
    "container: process; where an agent works in a container, harness, daemon and agent are real; a process group of this machine stood for the " +
    "container, and nothing was measured of Cloudflare's placement and snapshots",
};

/** docs/deployed.md, "Real models". */
export function realModelCaveat(model: string): string {
  return `model: ${model}, a real one; it decides for itself and may decide otherwise the next time, so that its trials are counted apart from scripted ones`;
}

/** What a trace says of where it was obtained; null where it does not tell. */
type Obtained = {
  readonly environment: Pick<Environment, "runtime"> | null;
  readonly spec:
    | (Pick<TrialSpec, "container"> & { readonly factors?: Pick<TrialSpec["factors"], "model"> })
    | null;
};

/** Null where nothing limits it. `trials`: those that the result was obtained from. */
export function caveatOf(host: HostIdentity | null, trials: readonly Obtained[] = []): string | null {
  const containers = new Set(trials.flatMap(({ spec }) => spec?.container ?? []));
  const models = new Set(trials.flatMap(({ spec }) => spec?.factors?.model ?? []));
  const caveats = [
    ...(host?.kind === "stand-in" ? [STAND_IN_CAVEAT] : []),
    ...(trials.some(({ environment }) => environment?.runtime === "rehearsal") ? [REHEARSAL_CAVEAT] : []),
    ...[...containers].map((kind) => CONTAINER_CAVEATS[kind]),
    ...[...models].map(realModelCaveat),
  ];
  return caveats.length === 0 ? null : caveats.join("; ");
}
