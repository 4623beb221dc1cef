/**
 * A container as `ctx.container` would be one: the part of the interface that `ContainerHarness` uses of an image of one's
 * own, over the supervisor that runs it as a process on this machine.
 */
import { call, type Peer } from "../../link/call.ts";
import type { TrialEnv } from "../../subject/subject-env.ts";
import {
  ContainerState,
  DRIVER_GENERATION_HEADER,
  DRIVER_HEADER,
  FileMarkers,
  KEY_SOURCE_VARIABLE,
  SnapshotResponse,
  type StartRequest,
} from "../../trace/protocol/container-protocol.ts";

/** The methods that the harness calls. */
type UsedContainer = Pick<
  Container,
  "running" | "start" | "destroy" | "getTcpPort" | "setInactivityTimeout" | "snapshotContainer"
>;

/** Host names in the URLs of service bindings carry no meaning. */
const BASE = "http://supervisor.invalid";

export class SupervisedContainer implements UsedContainer {
  readonly #env: TrialEnv;
  readonly #path: string;
  readonly #supervisor: Fetcher;
  #running = false;
  #executor: string | null = null;
  /** The start that is going on: whatever is asked of the container waits for it. */
  #starting: Promise<void> = Promise.resolve();

  /** @throws where there is no supervisor. */
  constructor(ctx: DurableObjectState, env: TrialEnv) {
    if (env.SUPERVISOR === undefined)
      throw new Error("there is no supervisor of containers in this deployment");
    this.#env = env;
    this.#supervisor = env.SUPERVISOR;
    this.#path = `/containers/${env.TRIAL.trial}`;
    // `running` has to tell the truth from the first moment on.
    ctx.blockConcurrencyWhile(async () => {
      this.#note(await call(this.#peer({}), "GET", this.#path, ContainerState));
    });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Id of what runs, as its supervisor last said; null while nothing does. */
  get executor(): string | null {
    return this.#executor;
  }

  start(options?: ContainerStartupOptions): void {
    if (this.#running) throw new Error("the container runs already");
    this.#running = true;
    this.#starting = this.#start(options).catch((error: unknown) => {
      this.#running = false;
      console.warn(`the container could not be started: ${String(error)}`);
    });
  }

  async destroy(): Promise<void> {
    await this.#starting;
    this.#note(await call(await this.#driven(), "POST", `${this.#path}/destroy`, ContainerState));
  }

  async snapshotContainer(): Promise<ContainerSnapshot> {
    await this.#starting;
    return call(await this.#driven(), "POST", `${this.#path}/snapshots`, SnapshotResponse);
  }

  /** What lies in its files, as its supervisor reads them. */
  markers(): Promise<FileMarkers> {
    return call(this.#peer({}), "GET", `${this.#path}/markers`, FileMarkers);
  }

  /** Nothing here stops a container that is idle but the harness. */
  async setInactivityTimeout(): Promise<void> {
    await this.#starting;
  }

  getTcpPort(_port: number): Fetcher {
    const passOn = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      await this.#starting;
      const asked = new Request(input, init);
      const { pathname, search } = new URL(asked.url);
      const headers = new Headers(asked.headers);
      const { fetch, base, secret } = await this.#driven();
      headers.set("authorization", `Bearer ${secret}`);
      return fetch(`${base}${this.#path}/port${pathname}${search}`, {
        ...(init?.signal == null ? {} : { signal: init.signal }),
        headers,
      });
    };
    return { fetch: passOn } as Fetcher;
  }

  async #start(options?: ContainerStartupOptions): Promise<void> {
    const body: StartRequest = {
      env: { ...options?.env, [KEY_SOURCE_VARIABLE]: this.#env.TRIAL.ledgerTools.key() },
      snapshot: options?.containerSnapshot?.id ?? null,
    };
    this.#note(await call(await this.#driven(), "POST", `${this.#path}/start`, ContainerState, { body }));
  }

  /** Keeps to what the supervisor says, and hears from it when what runs has ended. */
  #note({ running, executor }: ContainerState): void {
    this.#running = running;
    this.#executor = executor;
    if (!running) return;
    this.#monitor().catch((error: unknown) => {
      console.warn(`the container is not watched any more: ${String(error)}`);
    });
  }

  async #monitor(): Promise<void> {
    const { running, executor } = await call(this.#peer({}), "GET", `${this.#path}/end`, ContainerState);
    this.#running = running;
    this.#executor = executor;
  }

  /** The supervisor, told which activation speaks. */
  async #driven(): Promise<Peer> {
    const { activation, generation } = await this.#env.TRIAL.ledgerTools.identify();
    return this.#peer({ [DRIVER_HEADER]: activation, [DRIVER_GENERATION_HEADER]: String(generation) });
  }

  #peer(names: Readonly<Record<string, string>>): Peer {
    return {
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        for (const [name, value] of Object.entries(names)) headers.set(name, value);
        return this.#supervisor.fetch(url, { ...init, headers });
      },
      base: BASE,
      secret: this.#env.KIT_SECRET ?? "",
    };
  }
}
