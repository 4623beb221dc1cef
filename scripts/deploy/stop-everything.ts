/** Ends everything that runs on a deployment: every trial of every run that it knows, and the command that runs them. */
import { setTimeout as delay } from "node:timers/promises";
import { lockOwner } from "../base/file-lock.ts";
import { lockPath, requireReady } from "./deploy-state.ts";
import { controllerOf } from "./deployed-runtime.ts";
import type { Deployment } from "./deployment.ts";
import { type Stopped, stopTrials } from "./stop-trials.ts";

/** How long a run may take to export what was recorded, in ms. */
const RUN_ENDS_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/**
 * Whoever runs trials has to have been told before (kill-switch.ts), or it goes on. `owner`: a command that still works at the
 * deployment all the same; null when none does.
 */
export async function stopEverything(
  deployment: Deployment,
  secret: string,
): Promise<Stopped & { readonly owner: number | null }> {
  const first = await stopKnown(deployment, secret);
  if (lockOwner(lockPath(deployment)) === null) return { ...first, owner: null };
  const owner = await lockGivenBack(deployment);
  // Of what it began in between it has ended all; what it could not end is ended here.
  const last = await stopKnown(deployment, secret);
  const underWay = [...new Set([...first.underWay, ...last.underWay])];
  return { ...last, underWay, ended: last.ended.filter((trial) => !underWay.includes(trial)), owner };
}

function stopKnown(deployment: Deployment, secret: string): Promise<Stopped> {
  const { state } = requireReady(deployment);
  return stopTrials(
    controllerOf(state, secret),
    state.runs.flatMap(({ trials }) => trials),
  );
}

/** Null once nobody has the lock; the process that keeps it beyond the time that a run may take. */
async function lockGivenBack(deployment: Deployment): Promise<number | null> {
  const deadline = Date.now() + RUN_ENDS_MS;
  for (;;) {
    const owner = lockOwner(lockPath(deployment));
    if (owner === null) return null;
    if (Date.now() > deadline) return owner.pid;
    await delay(LOOK_AGAIN_MS);
  }
}
