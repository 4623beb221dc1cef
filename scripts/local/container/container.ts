/**
 * One container: at most one executor at a time, on a file system that is new at each start, empty or copied from a snapshot.
 */
import { cp, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  CLI_BINARY_VARIABLE,
  type ContainerState,
  OUTSIDE_KEY_VARIABLE,
  OUTSIDE_URL_VARIABLE,
  type OutsideIdentity,
  SESSION_VARIABLE,
  type SnapshotResponse,
  type StartRequest,
  TRIAL_VARIABLE,
} from "../../../src/trace/protocol/container-protocol.ts";
import { ExecutorProcess } from "./executor-process.ts";
import type { EndCause, ExecutorWitness } from "./executor-records.ts";

/** `ContainerHarness` of `agents` 0.32 tries so often to start one, 15 s in all. */
const STARTS_ATTEMPTED = 5;

type ContainerOptions = {
  readonly trial: string;
  readonly folder: string;
  /** Binaries of agent CLIs, by the adapter's name. */
  readonly clis: ReadonlyMap<string, string>;
  readonly witness: ExecutorWitness;
  readonly onOutput: (text: string) => void;
};

type Driver = { readonly activation: string; readonly generation: number };

type Running = {
  readonly process: ExecutorProcess;
  readonly executor: string;
  readonly folder: string;
  /** Opens the way out for this executor alone. */
  readonly key: string;
  readonly session: string;
  /** Why it is being ended; null as long as nobody ends it. */
  ending: EndCause | null;
  /** Resolves when its end is written down. */
  readonly over: Promise<void>;
  port: number | null;
};

export class Container {
  readonly #options: ContainerOptions;
  #running: Running | undefined;
  #driver: Driver | undefined;
  #starts = 0;
  /** How many of the next starts are refused, and how many were. */
  #toRefuse = 0;
  #refused = 0;
  #isOver = false;
  /** Starts and ends come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ContainerOptions) {
    this.#options = options;
  }

  get state(): ContainerState {
    const pid = this.#running?.process.isRunning === true ? this.#running.process.pid : null;
    return { running: pid !== null, pid };
  }

  /** Where the daemon listens on 127.0.0.1; null while none does. */
  get port(): number | null {
    return this.#running?.port ?? null;
  }

  get outsideKey(): string | undefined {
    return this.#running?.key;
  }

  get session(): string {
    return this.#running?.session ?? "";
  }

  /** @throws while nothing runs, or before any activation has spoken to it. */
  get identity(): OutsideIdentity {
    if (this.#running === undefined || this.#driver === undefined)
      throw new Error("nobody drives this container");
    return { ...this.#driver, executor: this.#running.executor };
  }

  drivenBy(driver: Driver): void {
    this.#driver = driver;
  }

  /** Resolves once nothing runs. */
  async ended(): Promise<void> {
    await this.#running?.over;
  }

  /** @throws when something runs already, or the snapshot is not there. */
  start(request: StartRequest, outsideUrl: string): Promise<void> {
    return this.#inTurn(() => this.#start(request, outsideUrl));
  }

  /** As many starts as the harness attempts before it gives up; a later prompt finds a container that starts. */
  refuseStarts(): void {
    this.#toRefuse = STARTS_ATTEMPTED;
  }

  /** Ends what runs, as a whole. Resolves once no process is left and that is written down. */
  end(cause: EndCause): Promise<void> {
    return this.#inTurn(async () => {
      const running = this.#running;
      if (running === undefined) return;
      running.ending ??= cause;
      await running.process.kill();
      await running.over;
    });
  }

  /** Ends what runs without a word, and removes every file: the trial is over, and nothing starts any more. */
  async clearAway(): Promise<void> {
    this.#isOver = true;
    const { folder, onOutput } = this.#options;
    await this.end("cleared-away")
      .then(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
      .catch((error: unknown) => onOutput(`${String(error)}\n`));
  }

  /** A copy of the file system as it is. @throws while nothing runs. */
  async snapshot(): Promise<SnapshotResponse> {
    const running = this.#running;
    if (running === undefined) throw new Error("there is no container to take a snapshot of");
    const id = crypto.randomUUID();
    await cp(running.folder, this.#snapshotFolder(id), { recursive: true });
    return { id, size: await sizeOf(this.#snapshotFolder(id)) };
  }

  async #start({ env, snapshot }: StartRequest, outsideUrl: string): Promise<void> {
    if (this.#isOver) throw new Error("the trial is over");
    if (this.#running !== undefined) throw new Error("the container runs already");
    const { trial, witness, onOutput } = this.#options;
    if (this.#toRefuse > 0) {
      this.#toRefuse -= 1;
      this.#refused += 1;
      const error = "the container cannot be started";
      await witness.refused(trial, { start: this.#refused, error });
      throw new Error(error);
    }
    this.#starts += 1;
    const folder = join(this.#options.folder, `run-${this.#starts}`);
    if (snapshot === null) await mkdir(folder, { recursive: true });
    else await cp(this.#snapshotFolder(snapshot), folder, { recursive: true });
    const key = crypto.randomUUID();
    const cli = this.#options.clis.get(env.CF_HARNESS_ADAPTER ?? "");
    const process = await ExecutorProcess.start({
      folder,
      env: {
        ...env,
        [OUTSIDE_URL_VARIABLE]: outsideUrl,
        [OUTSIDE_KEY_VARIABLE]: key,
        [TRIAL_VARIABLE]: trial,
        ...(cli === undefined ? {} : { [CLI_BINARY_VARIABLE]: cli }),
      },
      onOutput,
    });
    const executor = env.CF_HARNESS_RUNTIME_ID ?? "unknown";
    const over = process.ended.then(async (end) => {
      const ending = this.#running?.process === process ? this.#running.ending : null;
      if (this.#running?.process === process) this.#running = undefined;
      await witness.ended(trial, { executor, ...end, cause: ending ?? "by-itself" });
    });
    const running: Running = {
      process,
      executor,
      folder,
      key,
      session: env[SESSION_VARIABLE] ?? "unknown",
      ending: null,
      over,
      port: null,
    };
    this.#running = running;
    // Before the daemon can be spoken to: no act of the executor may precede the record of its start.
    await witness.started(trial, {
      executor,
      pid: process.pid,
      from: snapshot === null ? "image" : "snapshot",
    });
    void process.port.then((port) => {
      running.port = port;
    });
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(act);
    this.#turn = next.catch(() => undefined);
    return next;
  }

  #snapshotFolder(id: string): string {
    return join(this.#options.folder, "snapshots", id);
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) size += (await stat(join(entry.parentPath, entry.name))).size;
  return size;
}
