/**
 * Deployed Workers as what a run goes on. All slots are the one subject Worker, so that trials of one slot run after those
 * of another; a reset of it is a real deploy of the subject.
 *
 * What the network does not offer is refused, in a rehearsal too: ending a process, evicting an object, reading storage
 * without the object.
 */
import { randomUUID } from "node:crypto";
import type { FetchLike, Peer } from "../../src/link/call.ts";
import { REAL_MODEL_SETTINGS } from "../../src/trace/real-model-settings.ts";
import { plannedResets, type Reset, takesProcess } from "../../src/trace/resets.ts";
import { DEFERRED_S_MAX, type TrialSpec } from "../../src/trace/spec.ts";
import { localFetch } from "../local/process/local-fetch.ts";
import {
  type ProcessResetOrder,
  type ProcessResetOutcome,
  type ProcessWitness,
  putOff,
} from "../local/process/process-resets.ts";
import type { BundleFacts } from "../run/environment.ts";
import type { Runtime } from "../run/runtime.ts";
import { type DeployState, requireReady } from "./deploy-state.ts";
import { type DeployedRole, type Deployment, ROLES } from "./deployment.ts";
import type { CodeUpdate, Platform, Put } from "./platform.ts";
import { type StartedTrial, stopTrials } from "./stop-trials.ts";
import { redeploySubject } from "./up.ts";

type Deploy = {
  readonly kind: Platform["kind"];
  readonly redeploy: (update: CodeUpdate) => Promise<Put>;
  readonly order: ProcessResetOrder;
};

/** What a deploy can come too late for: an update is awaited for so much longer than the platform names, in s. */
const LATE_S = 5;

/** Resets that a deploy performs; those of the controller go through the object, wherever that is. */
const DEPLOYS: Partial<Record<Reset, (deploy: Deploy) => Promise<Pick<Put, "mechanism" | "process">>>> = {
  redeploy: ({ redeploy }) => redeploy({ mode: "immediate" }),
  "redeploy-within": async ({ kind, redeploy, order: { deferredS, signal } }) => {
    if (deferredS === null) throw new Error("the deploy does not say how long it puts the update off");
    const put = await redeploy({ mode: "deferred", maxS: deferredS });
    // The network takes the deploy at once; a rehearsal has made the update when it returns.
    if (kind === "network") await putOff(deferredS + LATE_S, signal);
    return put;
  },
  // For longer than any trial lasts. A rehearsal has nothing to do for it.
  "redeploy-deferred": async ({ kind, redeploy }) =>
    kind === "network"
      ? redeploy({ mode: "deferred", maxS: DEFERRED_S_MAX })
      : { mechanism: "deploy acknowledged, code update deferred beyond the trial", process: null },
};

/** What a condition asks for that deployed Workers do not offer; null where it can be run. */
export function notOffered({ factors }: Pick<TrialSpec, "factors">): string | null {
  const asked = plannedResets(factors).find(
    (reset) => (takesProcess(reset) || reset === "evict") && DEPLOYS[reset] === undefined,
  );
  return asked === undefined ? null : asked;
}

type DeployedRun = {
  /** What the run may begin. */
  readonly trials: readonly StartedTrial[];
  readonly onNote: (text: string) => void;
  /** Real model; null for the scripted one. */
  readonly model: string | null;
};

export class DeployedRuntime implements Runtime {
  readonly where: Runtime["where"];
  readonly bundles: Runtime["bundles"];
  readonly controller: Peer;
  readonly storage = null;
  readonly files = null;
  readonly isShared = true;
  readonly #deployment: Deployment;
  readonly #platform: Platform;
  readonly #trials: readonly StartedTrial[];
  readonly #onNote: (text: string) => void;

  constructor(deployment: Deployment, platform: Platform, { trials, onNote, model }: DeployedRun) {
    this.#trials = trials;
    this.#onNote = onNote;
    const { state, secret } = requireReady(deployment);
    this.#deployment = deployment;
    this.#platform = platform;
    this.where = {
      ...{ mode: "deployed" as const, runtime: state.kind },
      ...(model === null
        ? {}
        : { model: { kind: "real" as const, id: model, settings: { ...REAL_MODEL_SETTINGS } } }),
    };
    this.controller = controllerOf(state, secret);
    this.bundles = new Map(ROLES.map((role) => [role, bundleOf(state, role)]));
  }

  get storageFolder(): string {
    return `the ledger of deployment '${this.#deployment.prefix}', until it is taken down`;
  }

  isApart(): boolean {
    return false;
  }

  pidOf(): number | null | undefined {
    return this.#platform.pidOf("subject");
  }

  async startSlot(): Promise<number | null> {
    throw new Error("nothing here starts a process of a deployment but a deploy");
  }

  async resetSlot(
    slot: string,
    order: ProcessResetOrder,
    witness: ProcessWitness,
  ): Promise<ProcessResetOutcome> {
    const { reset, trials } = order;
    const perform = DEPLOYS[reset];
    if (perform === undefined)
      throw new Error(`'${reset}' of slot ${slot} is no reset that deployed Workers offer`);
    const { kind } = this.#platform;
    const redeploy = (update: CodeUpdate) =>
      redeploySubject(this.#deployment, this.#platform, update, { witness, signal: order.signal });
    const { mechanism, process } = await perform({ kind, redeploy, order });
    return { mechanism, process: process === null ? null : { ...process, trials, cluster: randomUUID() } };
  }

  trialBegins(): void {
    // Nothing is set up for one trial.
  }

  executorOf(): never {
    throw new Error("nobody can reach the platform's containers");
  }

  async trialOver(): Promise<void> {
    // Nothing is held for one trial.
  }

  async evict(): Promise<void> {
    throw new Error("the platform evicts when it likes: nobody can ask it to");
  }

  async disturb(): Promise<void> {
    throw new Error("deployed subjects have no address of their own");
  }

  /** The deployment stays. Trials that nobody follows any more would go on there and cost: they are stopped. */
  async stop({ isAbandoned = false }: { readonly isAbandoned?: boolean }): Promise<void> {
    if (!isAbandoned) return;
    const { underWay, ended, failed } = await stopTrials(this.controller, this.#trials);
    const { length } = [...underWay, ...ended];
    this.#onNote(
      `${length} trials of the run were ended on the deployment, with their alarms and all that they stored`,
    );
    for (const { trial, error } of failed) this.#onNote(`${trial} could not be stopped: ${error}`);
  }
}

/** The controller as this machine reaches it. */
export function controllerOf({ kind, controllerUrl }: DeployState, secret: string): Peer {
  const overNetwork: FetchLike = (url, init) => fetch(url, init);
  return { fetch: kind === "rehearsal" ? localFetch : overNetwork, base: controllerUrl ?? "", secret };
}

/** Under the kit's own name for the Worker, whatever its deployment is called: what was deployed is to be compared by it. */
function bundleOf({ workers }: DeployState, role: DeployedRole): BundleFacts {
  const worker = workers[role];
  if (worker === undefined) throw new Error(`the state does not know the ${role} Worker`);
  return { ...worker, role, name: `recovery-kit-${role}` };
}
