/**
 * The kill switch of a deployment: a file in its folder, since the state is written by the run that is to be stopped. Whoever
 * runs trials watches it, and no run begins while it lies there; `up` takes it away.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UserError } from "../base/user-error.ts";
import { RunStop } from "../run/run-plan.ts";
import type { Deployment } from "./deployment.ts";

const Pulled = z.strictObject({ at: z.iso.datetime() });

/** How often whoever runs trials looks whether it was pulled, in ms. */
const LOOK_MS = 200;

export const STOPPED_BY_SWITCH = "stopped by the kill switch";

function switchPath({ folder }: Pick<Deployment, "folder">): string {
  return join(folder, "stopped.json");
}

export function pullSwitch(deployment: Deployment): void {
  mkdirSync(deployment.folder, { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ at: new Date().toISOString() } satisfies z.infer<typeof Pulled>);
  writeFileSync(switchPath(deployment), `${text}\n`, { mode: 0o600 });
}

export function resetSwitch(deployment: Deployment): void {
  rmSync(switchPath(deployment), { force: true });
}

/** When it was pulled (ISO 8601, or `unknown` where the file cannot be read); null when it was not. */
export function pulledAt(deployment: Deployment): string | null {
  const path = switchPath(deployment);
  if (!existsSync(path)) return null;
  try {
    return Pulled.parse(JSON.parse(readFileSync(path, "utf8"))).at;
  } catch {
    // Pulled it is, whatever its file says.
    return "unknown";
  }
}

/** @throws UserError when it was pulled. `again`: the command that brings the deployment up once more. */
export function requireSwitchNotPulled(deployment: Deployment, again: string): void {
  const at = pulledAt(deployment);
  if (at !== null)
    throw new UserError(
      `deployment '${deployment.prefix}' was stopped (${at}) and begins no trial; bring it up again: ${again}`,
    );
}

/** A signal that is aborted when the switch is pulled, until it is released. */
export function watchSwitch(deployment: Deployment): { readonly signal: AbortSignal; release(): void } {
  const pulled = new AbortController();
  const timer = setInterval(() => {
    if (pulledAt(deployment) === null) return;
    clearInterval(timer);
    pulled.abort(new RunStop(STOPPED_BY_SWITCH));
  }, LOOK_MS);
  return { signal: pulled.signal, release: () => clearInterval(timer) };
}
