/**
 * One container: at most one executor at a time, on a file system that is new at each start, empty or copied from a snapshot.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Supervision, Workspace } from "../../../src/trace/levels.ts";
import {
  CLI_BINARY_VARIABLE,
  type ContainerState,
  type FileMarkers,
  OUTSIDE_KEY_VARIABLE,
  OUTSIDE_URL_VARIABLE,
  type OutsideIdentity,
  SESSION_VARIABLE,
  type SnapshotResponse,
  type StartRequest,
  SYNC_MS_VARIABLE,
  TRIAL_VARIABLE,
} from "../../../src/trace/protocol/container-protocol.ts";
import { HOMES, MARKER, WORKSPACE } from "./agent/agent-output.ts";
import { ExecutorProcess } from "./executor-process.ts";
import { executorProgram } from "./executor-programs.ts";
import type { EndCause, ExecutorWitness } from "./executor-records.ts";

const SNAPSHOTS = "snapshots";
/** `ContainerHarness` of `agents` 0.32 tries so often to start one, 15 s in all. */
const STARTS_ATTEMPTED = 5;
/** How long a harness may take to stop its executor by itself, in ms: longer than any of the subjects waits for work. */
const IDLE_STOP_MS = 60_000;

/** What the trial wants of its container. */
export type ContainerTerms = {
  readonly workspace: Workspace;
  readonly supervision: Supervision;
  /** How often the files of a turn are stored while it lasts. */
  readonly syncMs: number;
};

type ContainerOptions = {
  readonly trial: string;
  readonly folder: string;
  /** Binaries of agent CLIs, by the adapter's name. */
  readonly clis: ReadonlyMap<string, string>;
  readonly terms: ContainerTerms;
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
  over: Promise<void>;
  /** Resolved when it is the container's executor no more: it ended, or was given up. */
  readonly gone: PromiseWithResolvers<void>;
  port: number | null;
  isPaused: boolean;
};

export class Container {
  readonly #options: ContainerOptions;
  #running: Running | undefined;
  /** Those that were to be ended and could not be. */
  #givenUp: Running[] = [];
  #driver: Driver | undefined;
  #starts = 0;
  /** How many of the next starts are refused, and how many were. */
  #toRefuse = 0;
  #refused = 0;
  #snapshots = 0;
  #isOver = false;
  /** Starts and ends come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ContainerOptions) {
    this.#options = options;
  }

  get state(): ContainerState {
    const pid = this.#running?.process.isRunning === true ? this.#running.process.pid : null;
    return { running: pid !== null, pid, executor: pid === null ? null : (this.#running?.executor ?? null) };
  }

  /** Of every daemon that runs. */
  get pids(): number[] {
    return this.#all().flatMap(({ process }) => (process.isRunning ? [process.pid] : []));
  }

  /** Where the daemon listens on 127.0.0.1; null while none does. */
  get port(): number | null {
    return this.#running?.port ?? null;
  }

  /** The key that was presented, where it is that of an executor of this container; else one that fits nobody. */
  keyLike(presented: string | undefined): string | undefined {
    return (this.#all().find(({ key }) => key === presented) ?? this.#running)?.key;
  }

  /** Under which names the executor with the key acts. @throws where there is none, or before any activation has spoken to it. */
  outside(key: string | undefined): { readonly identity: OutsideIdentity; readonly session: string } {
    const one = this.#all().find((running) => running.key === key);
    if (one === undefined || this.#driver === undefined) throw new Error("nobody drives this container");
    return { identity: { ...this.#driver, executor: one.executor }, session: one.session };
  }

  drivenBy(driver: Driver): void {
    this.#driver = driver;
  }

  /** Resolves once nothing runs. */
  async ended(): Promise<void> {
    await this.#running?.gone.promise;
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
      if (cause === "destroyed" && running.isPaused && this.#options.terms.supervision === "cannot-kill")
        return this.#giveUp(running);
      running.ending ??= cause;
      await running.process.kill();
      await running.over;
    });
  }

  /** Makes what runs stand still. Resolves once that is written down. @throws while nothing runs. */
  async pause(): Promise<void> {
    const running = this.#whatRuns();
    running.process.signalAll("SIGSTOP");
    running.isPaused = true;
    const { executor, process } = running;
    await this.#options.witness.paused(this.#options.trial, { executor, pid: process.pid });
  }

  /** Resolves when the harness has stopped what runs. @throws while nothing runs, and when it does not within a minute. */
  async stoppedByHarness(): Promise<void> {
    const running = this.#whatRuns();
    const timeout = AbortSignal.timeout(IDLE_STOP_MS);
    const expired = once(timeout, "abort").then(() => {
      throw new Error(`the harness did not stop its executor within ${IDLE_STOP_MS} ms`);
    });
    await Promise.race([running.over, expired]);
    if (running.ending !== "destroyed") throw new Error("it was not the harness that ended the executor");
  }

  /** Ends what runs without a word, and removes every file: the trial is over, and nothing starts any more. */
  async clearAway(): Promise<void> {
    this.#isOver = true;
    const { folder, onOutput } = this.#options;
    const clear = async () => {
      await this.end("cleared-away");
      for (const one of this.#givenUp) {
        one.ending ??= "cleared-away";
        await one.process.kill();
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    };
    await clear().catch((error: unknown) => onOutput(`${String(error)}\n`));
  }

  /** A copy of the file system as it is. @throws while nothing runs, and where the trial wants none. */
  async snapshot(): Promise<SnapshotResponse> {
    const running = this.#running;
    if (running === undefined) throw new Error("there is no container to take a snapshot of");
    const { trial, terms, witness } = this.#options;
    const { executor } = running;
    const id = crypto.randomUUID();
    this.#snapshots += 1;
    const number = this.#snapshots;
    const error = NO_SNAPSHOT[terms.workspace];
    if (error !== null) {
      await witness.stored(trial, number, { executor, snapshot: null, error });
      throw new Error(error);
    }
    await cp(running.folder, this.#snapshotFolder(id), { recursive: true });
    await witness.stored(trial, number, { executor, snapshot: id, error: null });
    return { id, size: await sizeOf(this.#snapshotFolder(id)) };
  }

  /** Removes every snapshot. Resolves with how many there were, once that is written down. */
  async clearSnapshots(): Promise<number> {
    const { trial, folder, witness } = this.#options;
    const snapshots = await readdir(join(folder, SNAPSHOTS)).catch(() => []);
    await rm(join(folder, SNAPSHOTS), { recursive: true, force: true, maxRetries: 3 });
    await witness.cleared(trial, this.#snapshots, { snapshots: snapshots.sort() });
    return snapshots.length;
  }

  /** Of the session that the object's requests are about, read from its files: what runs is not asked. */
  async markers(): Promise<FileMarkers> {
    const running = this.#running;
    if (running === undefined) return { workspace: null, state: null, undeclared: null };
    const home = join(running.folder, HOMES, homeOf(running.session));
    const inHome = await readdir(home, { recursive: true }).catch(() => []);
    // Whatever the agent calls its state folder, it lies below the home.
    const state = inHome.find((path) => basename(path) === MARKER && path !== MARKER);
    const read = (path: string) => readFile(path, "utf8").catch(() => null);
    return {
      workspace: await read(join(running.folder, WORKSPACE, MARKER)),
      state: state === undefined ? null : await read(join(home, state)),
      undeclared: await read(join(home, MARKER)),
    };
  }

  async #start({ env, snapshot }: StartRequest, outsideUrl: string): Promise<void> {
    if (this.#isOver) throw new Error("the trial is over");
    if (this.#running !== undefined) throw new Error("the container runs already");
    const { trial, terms, witness, clis, onOutput } = this.#options;
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
    const { CF_HARNESS_ADAPTER: name } = env;
    const cli = clis.get(name ?? "");
    const process = await ExecutorProcess.start({
      program: executorProgram(name, clis),
      folder,
      env: {
        ...env,
        [OUTSIDE_URL_VARIABLE]: outsideUrl,
        [OUTSIDE_KEY_VARIABLE]: key,
        [TRIAL_VARIABLE]: trial,
        [SYNC_MS_VARIABLE]: String(terms.syncMs),
        ...(cli === undefined ? {} : { [CLI_BINARY_VARIABLE]: cli }),
      },
      onOutput,
    });
    const executor = env.CF_HARNESS_RUNTIME_ID ?? "unknown";
    const running: Running = {
      process,
      executor,
      folder,
      key,
      session: env[SESSION_VARIABLE] ?? "unknown",
      ending: null,
      over: Promise.resolve(),
      gone: Promise.withResolvers(),
      port: null,
      isPaused: false,
    };
    running.over = process.ended.then(async (end) => {
      if (this.#running === running) this.#running = undefined;
      running.gone.resolve();
      await witness.ended(trial, { executor, ...end, cause: running.ending ?? "by-itself" });
    });
    this.#running = running;
    // Before the daemon can be spoken to: no act of the executor may precede the record of its start.
    await witness.started(trial, {
      executor,
      pid: process.pid,
      from: snapshot === null ? "image" : "snapshot",
    });
    void process.port.then(async (port) => {
      running.port = port;
      await this.#resumeGivenUp();
    });
  }

  /** Takes it for gone and leaves it as it is. */
  #giveUp(running: Running): void {
    this.#givenUp.push(running);
    this.#running = undefined;
    running.gone.resolve();
  }

  /** Another one listens in their place: what stood still goes on. */
  async #resumeGivenUp(): Promise<void> {
    for (const one of this.#givenUp) {
      if (!one.isPaused) continue;
      one.isPaused = false;
      const { executor, process } = one;
      // Before it can act.
      await this.#options.witness.resumed(this.#options.trial, { executor, pid: process.pid });
      process.signalAll("SIGCONT");
    }
  }

  /** @throws while nothing runs. */
  #whatRuns(): Running {
    if (this.#running === undefined) throw new Error("no executor runs in the container");
    return this.#running;
  }

  #all(): Running[] {
    return this.#running === undefined ? this.#givenUp : [this.#running, ...this.#givenUp];
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(act);
    this.#turn = next.catch(() => undefined);
    return next;
  }

  #snapshotFolder(id: string): string {
    return join(this.#options.folder, SNAPSHOTS, id);
  }
}

/** Name of a session's home, as the adapter for agent CLIs in `agents` 0.32 makes it. */
function homeOf(session: string): string {
  return createHash("sha256").update(session).digest("hex").slice(0, 32);
}

/** Why there is no snapshot, in the words that the harness is answered; null where one is taken. */
const NO_SNAPSHOT: Readonly<Record<Workspace, string | null>> = {
  snapshot: null,
  "snapshot-refused": "the snapshot could not be taken",
  none: "containers of this kind have no snapshots",
};

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) size += (await stat(join(entry.parentPath, entry.name))).size;
  return size;
}
