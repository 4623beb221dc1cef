/**
 * Deployed Workers as what a run goes on. All slots are the one subject Worker, so that trials of one slot run after those
 * of another; a reset of it is a real deploy of the subject.
 *
 * What the network does not offer is refused, in a rehearsal too: ending a process, evicting an object, reading storage
 * without the object.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { FetchLike, Peer } from "../../src/link/call.ts";
import { plannedResets, type Reset, takesProcess } from "../../src/trace/resets.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { localFetch } from "../local/process/local-fetch.ts";
import type { ProcessResetOutcome, ProcessWitness } from "../local/process/process-resets.ts";
import type { WorkerRole } from "../local/workerd/bundle.ts";
import type { BundleFacts } from "../run/environment.ts";
import type { Runtime } from "../run/runtime.ts";
import { type DeployState, requireReady } from "./deploy-state.ts";
import { type Deployment, ROLES } from "./deployment.ts";
import type { CodeUpdate, Platform, Put } from "./platform.ts";
import { redeploySubject } from "./up.ts";

/** Resets that a deploy performs; those of the controller go through the object, wherever that is. */
const DEPLOYED: readonly Reset[] = ["redeploy", "redeploy-deferred"];

/** What a condition asks for that deployed Workers do not offer; null where it can be run. */
export function notOffered({ factors }: Pick<TrialSpec, "factors">): string | null {
  const asked = plannedResets(factors).find(
    (reset) => (takesProcess(reset) || reset === "evict") && !DEPLOYED.includes(reset),
  );
  return asked === undefined ? null : asked;
}

export class DeployedRuntime implements Runtime {
  readonly where: Runtime["where"];
  readonly bundles: Runtime["bundles"];
  readonly controller: Peer;
  readonly storage = null;
  readonly files = null;
  readonly isShared = true;
  readonly #deployment: Deployment;
  readonly #platform: Platform;
  readonly #deferredS: number;
  readonly #over = new AbortController();
  /** Code updates that were put off. */
  readonly #deferred = new Set<Promise<void>>();

  /** `deferredS`: how long `redeploy-deferred` lets objects keep their old code, at most. */
  constructor(deployment: Deployment, platform: Platform, deferredS: number) {
    const { state, secret } = requireReady(deployment);
    this.#deployment = deployment;
    this.#platform = platform;
    this.#deferredS = deferredS;
    this.where = { mode: "deployed", runtime: state.kind };
    this.controller = controllerOf(state, secret);
    this.bundles = new Map(ROLES.map((role) => [role, bundleOf(state, role)]));
  }

  get storageFolder(): string {
    return `the ledger of deployment '${this.#deployment.prefix}', until it is taken down`;
  }

  isServer(): boolean {
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
    reset: Reset,
    trials: number,
    witness: ProcessWitness,
  ): Promise<ProcessResetOutcome> {
    switch (reset) {
      case "redeploy": {
        const put = await this.#redeploy({ mode: "immediate" }, witness);
        const { process, mechanism } = put;
        return {
          mechanism,
          process: process === null ? null : { ...process, trials, cluster: randomUUID() },
        };
      }
      case "redeploy-deferred":
        return this.#defer(witness);
      default:
        throw new Error(`'${reset}' of slot ${slot} is no reset that deployed Workers offer`);
    }
  }

  async endExecutor(): Promise<void> {
    throw new Error("nobody can end a process of the platform");
  }

  async evict(): Promise<void> {
    throw new Error("the platform evicts when it likes: nobody can ask it to");
  }

  async disturb(): Promise<void> {
    throw new Error("deployed subjects have no address of their own");
  }

  /** The deployment stays; updates that were put off beyond the run are not made any more. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#deferred);
  }

  #redeploy(update: CodeUpdate, witness: ProcessWitness): Promise<Put> {
    return redeploySubject(this.#deployment, this.#platform, update, witness);
  }

  /** The network takes the deploy and has its objects keep their code; a rehearsal makes the deploy later. */
  async #defer(witness: ProcessWitness): Promise<ProcessResetOutcome> {
    const maxS = this.#deferredS;
    const update = { mode: "deferred", maxS } as const;
    if (this.#platform.kind === "network") {
      const { mechanism } = await this.#redeploy(update, witness);
      return { mechanism, process: null };
    }
    const later = delay(maxS * 1_000, undefined, { signal: this.#over.signal }).then(
      async () => void (await this.#redeploy({ mode: "immediate" }, witness)),
      // The run was over before.
      () => undefined,
    );
    this.#deferred.add(later);
    void later.finally(() => this.#deferred.delete(later)).catch(() => undefined);
    return {
      mechanism: `deploy acknowledged, code update deferred by ${maxS} s (rehearsed: the process is replaced then)`,
      process: null,
    };
  }
}

/** The controller as this machine reaches it. */
export function controllerOf({ kind, controllerUrl }: DeployState, secret: string): Peer {
  const overNetwork: FetchLike = (url, init) => fetch(url, init);
  return { fetch: kind === "rehearsal" ? localFetch : overNetwork, base: controllerUrl ?? "", secret };
}

function bundleOf({ workers }: DeployState, role: WorkerRole): BundleFacts {
  const worker = workers[role];
  if (worker === undefined) throw new Error(`the state does not know the ${role} Worker`);
  return { role, ...worker };
}
