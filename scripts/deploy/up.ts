/**
 * Brings a deployment up, or once more with another secret. What is about to be done is in the state before it is done, so
 * that `down` finds whatever a command that was killed has left.
 *
 * Subject and controller bind each other, and a Worker can bind only what is there: so the subject is put there twice.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { declaredConditions, experimentNames } from "../../experiments/registry.ts";
import { subjectTraits } from "../../src/harnesses/index.ts";
import { UserError } from "../base/user-error.ts";
import { pickPorts } from "../local/process/ports.ts";
import type { ProcessWitness } from "../local/process/process-resets.ts";
import { bundleCacheFolder, getBundles } from "../local/workerd/get-bundles.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { slotOf } from "../run/make-plan.ts";
import { type DeployState, readState, requireReady, writeSecret, writeState } from "./deploy-state.ts";
import { type DeployedRole, type Deployment, ROLES, workerName } from "./deployment.ts";
import { resetSwitch } from "./kill-switch.ts";
import { placeAgain, placeWorker } from "./place-workers.ts";
import type { CodeUpdate, Platform, Put } from "./platform.ts";

type UpOptions = {
  readonly kind: DeployState["kind"];
  readonly host: HostChoice;
  readonly caps: DeployState["caps"];
  /** Whether the controller is to reach real models. */
  readonly hasModels: boolean;
  readonly platform: (parts: { ports: readonly number[] | null; secret: string }) => Platform;
  /** Told what is about to be done. */
  readonly onStep: (text: string) => void;
};

/** In their order, with the Workers that are there to be bound. */
const STEPS: readonly { readonly role: DeployedRole; readonly present: readonly DeployedRole[] }[] = [
  { role: "ledger", present: [] },
  { role: "subject", present: ["ledger"] },
  { role: "controller", present: ["ledger", "subject"] },
  { role: "subject", present: ["ledger", "controller"] },
];

const IMMEDIATE: CodeUpdate = { mode: "immediate" };

/** @throws UserError when something else is there under the prefix. */
export async function bringUp(deployment: Deployment, options: UpOptions): Promise<DeployState> {
  const { kind, host, caps, hasModels, onStep } = options;
  const before = readState(deployment);
  if (before !== null && before.kind !== kind)
    throw new UserError(
      `deployment '${deployment.prefix}' is ${before.kind === "rehearsal" ? "a rehearsal" : "on the network"}; ` +
        `remove it first: npm run deploy -- down --prefix ${deployment.prefix}`,
    );
  const ports = kind === "network" ? null : (before?.ports ?? (await pickPorts(2 * ROLES.length, null)));
  const secret = randomBytes(32).toString("hex");
  const platform = options.platform({ ports, secret });
  await platform.verify();
  let state: DeployState = {
    version: 1,
    prefix: deployment.prefix,
    kind,
    stage: "preparing",
    createdAt: before?.createdAt ?? new Date().toISOString(),
    controllerUrl: null,
    ports: ports === null ? null : [...ports],
    builds: before?.builds ?? 0,
    host: { kind: host.kind, name: host.name, version: host.version },
    hasModels,
    slots: deployedSlots(),
    workers: before?.workers ?? {},
    caps,
    spent: { trials: 0, minutes: 0 },
    runs: before?.runs ?? [],
  };
  const enter = async (change: Partial<DeployState>) => {
    state = { ...state, ...change };
    await writeState(deployment, state);
  };
  await enter({});
  writeSecret(deployment, secret);
  onStep("bundling the three Workers");
  const bundles = await getBundles(ROLES, {
    host,
    workDir: join(deployment.folder, "bundles"),
    cacheFolder: bundleCacheFolder(),
  });
  for (const [index, { role, present }] of STEPS.entries()) {
    const step = `putting ${workerName(deployment, role)} there (${index + 1} of ${STEPS.length})`;
    const bundle = bundles[role];
    const builds = state.builds + (role === "subject" ? 1 : 0);
    await enter({ stage: step, builds });
    onStep(step);
    const isPublic = kind === "network";
    const placed = await placeWorker(
      deployment,
      { role, script: bundle.script },
      {
        slots: state.slots,
        present,
        isPublic,
        hasModels,
        builds,
      },
    );
    const put = await platform.put(placed, IMMEDIATE);
    await enter({
      controllerUrl: role === "controller" ? put.url : state.controllerUrl,
      workers: {
        ...state.workers,
        [role]: {
          name: placed.name,
          sha256: bundle.sha256,
          compatibilityDate: bundle.compatibilityDate,
          compatibilityFlags: [...bundle.compatibilityFlags],
          version: put.version,
        },
      },
    });
  }
  resetSwitch(deployment);
  await enter({ stage: "ready" });
  return state;
}

/** Puts the subject there again as another build: the one restart that the network knows. */
export async function redeploySubject(
  deployment: Deployment,
  platform: Platform,
  update: CodeUpdate,
  { witness, signal }: { readonly witness?: ProcessWitness; readonly signal?: AbortSignal } = {},
): Promise<Put> {
  await platform.putOff(update, signal);
  const { state } = requireReady(deployment);
  const builds = state.builds + 1;
  await writeState(deployment, { ...state, builds });
  const placed = await placeAgain(deployment, "subject", {
    slots: state.slots,
    present: ["ledger", "controller"],
    isPublic: false,
    hasModels: false,
    builds,
  });
  const put = await platform.put(placed, update, witness);
  const after = requireReady(deployment).state;
  const { subject } = after.workers;
  if (subject !== undefined)
    await writeState(deployment, {
      ...after,
      workers: { ...after.workers, subject: { ...subject, version: put.version } },
    });
  return put;
}

/** The slots of every condition that runs in a Durable Object: each needs a binding of the controller. */
export function deployedSlots(): string[] {
  const slots = experimentNames().flatMap((name) =>
    declaredConditions(name)
      .filter(({ factors }) => subjectTraits(factors.subject).runs === "object")
      .map(({ factors }) => slotOf(factors)),
  );
  return [...new Set(["default", ...slots])].toSorted();
}
