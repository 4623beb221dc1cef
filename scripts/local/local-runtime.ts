/**
 * The local runtime: the lab (controller and ledger) in one workerd process that is never reset, and one process for each
 * subject slot: workerd, from the Workers' own wrangler files like the lab, an OpenCode server, or a command. All are linked by
 * HTTP service bindings.
 *
 * Leaves to others: what runs when (scripts/run), what a reset proves (src/reconcile).
 */
import { randomBytes } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Json } from "miniflare";
import { z } from "zod";
import { slotBindingName } from "../../src/controller/slots.ts";
import { type Peer, send } from "../../src/link/call.ts";
import { objectName, subjectBindingName } from "../../src/subject/object-name.ts";
import { executorSyncMsOf } from "../../src/trace/heartbeats.ts";
import type { Subject } from "../../src/trace/levels.ts";
import type { Storage, TrialSpec } from "../../src/trace/spec.ts";
import type { AgentCommand } from "./command/agent-command.ts";
import { CommandSlot } from "./command/command-slot.ts";
import { ExecutorRecords } from "./container/executor-records.ts";
import type { ReachedExecutor } from "./container/executor-resets.ts";
import { Supervisor } from "./container/supervisor.ts";
import type { StoredObject } from "./files/offline.ts";
import { keepLog, WORKERS_LOG } from "./kept-log.ts";
import type { OwnProject } from "./own/own-project.ts";
import { localFetch } from "./process/local-fetch.ts";
import { startOnPorts } from "./process/ports.ts";
import {
  type ProcessResetOrder,
  type ProcessResetOutcome,
  type ProcessWitness,
  resetProcess,
} from "./process/process-resets.ts";
import { enterFolder, keepFolder } from "./process/scratch.ts";
import { SCRATCH_PREFIX } from "./process/scratch-folder.ts";
import type { ProcessEnd, SubjectProcess } from "./process/subject-process.ts";
import type { ReadySet } from "./ready-set.ts";
import { ServerSlot } from "./server/server-slot.ts";
import { chooseStorage, type StorageOption } from "./storage-choice.ts";
import type { WorkerBundle, WorkerRole } from "./workerd/bundle.ts";
import { bundleCacheFolder, getBundles } from "./workerd/get-bundles.ts";
import type { HostChoice } from "./workerd/host-choice.ts";
import { type RunnableSet, WorkerProcess } from "./workerd/worker-process.ts";

/** Two SDK sets: the one that a slot begins with, and the one that an upgrade brings. */
export type SetPair = { readonly before: ReadySet; readonly after: ReadySet };

type LocalRuntimeOptions = {
  readonly host: HostChoice;
  /** Subject slots, one process each. */
  readonly slots: readonly string[];
  /** Further slots, each an OpenCode server: of this binary, unless its SDK sets name others. */
  readonly servers?: { readonly slots: readonly string[]; readonly binary: string };
  /** Further slots, each a command that is started for its one trial. */
  readonly commands?: ReadonlyMap<string, AgentCommand>;
  /** Whether some trial works in a container; none where it is not said. */
  readonly containers?: boolean;
  /** Binaries of the agent CLIs that run in containers, by name; none where no subject needs one. */
  readonly clis?: ReadonlyMap<string, string>;
  /** A user's own Worker, which runs in the slots in place of the kit's subject Worker. */
  readonly own?: {
    readonly project: OwnProject;
    /** The trial of a slot that serves one; null where it serves several. */
    readonly onlyTrialOf: (slot: string) => string | null;
  };
  /** What slots run that run other than what is installed, by slot. */
  readonly sets?: ReadonlyMap<string, SetPair>;
  readonly port: number | null;
  /** Where to keep storage, and for how many trials there is to be room. */
  readonly storage: StorageOption;
  readonly trials: number;
  /** Told when some Worker has to be bundled first, which takes seconds. */
  readonly onBundling?: () => void;
  /** Ends the start, as long as it bundles. */
  readonly signal?: AbortSignal;
  /** The process of a slot ended and nobody here had ended it. It stays away until `startSlot`. */
  readonly onSlotDied?: (slot: string, end: ProcessEnd) => void;
};

/** A Durable Object binding in Miniflare's terms. */
const Binding = z.object({ className: z.string() });

/** Resolves when none of them is on its way any more. @throws what the first of them failed with. */
async function startAll(processes: readonly SubjectProcess[]): Promise<void> {
  const starts = await Promise.allSettled(processes.map((process) => process.start()));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** What the gate of a process is told of its trials. */
function gateBindings({ rules }: OwnProject, onlyTrial: string | null): Record<string, Json> {
  return { RULES: rules as Json, ...(onlyTrial === null ? {} : { ONLY_TRIAL: onlyTrial }) };
}

/** How many objects the background load is spread over. */
const BACKGROUND_OBJECTS = 50;

export class LocalRuntime {
  readonly where = { mode: "local" } as const;
  /** Each slot has a process of its own. */
  readonly isShared = false;
  /** All of it lies in files of this machine. */
  readonly files = this;
  readonly bundles: ReadonlyMap<WorkerRole, WorkerBundle>;
  /** Of the subject Worker, by the SDK set that it was made against. */
  readonly setBundles: ReadonlyMap<string, WorkerBundle>;
  /** The controller, as the CLI reaches it. */
  readonly controller: Peer;
  readonly storage: Storage;
  #dir: string;
  readonly #log: WriteStream;
  readonly #lab: WorkerProcess;
  readonly #subjects: ReadonlyMap<string, WorkerProcess>;
  readonly #subjectPeers: ReadonlyMap<string, Peer>;
  readonly #servers: ReadonlyMap<string, ServerSlot>;
  readonly #commands: ReadonlyMap<string, CommandSlot>;
  readonly #supervisor: Supervisor;
  readonly #own: OwnProject | null;
  #builds = 1;

  private constructor(parts: {
    bundles: ReadonlyMap<WorkerRole, WorkerBundle>;
    setBundles: ReadonlyMap<string, WorkerBundle>;
    controller: Peer;
    storage: Storage;
    dir: string;
    log: WriteStream;
    lab: WorkerProcess;
    subjects: ReadonlyMap<string, WorkerProcess>;
    subjectPeers: ReadonlyMap<string, Peer>;
    servers: ReadonlyMap<string, ServerSlot>;
    commands: ReadonlyMap<string, CommandSlot>;
    supervisor: Supervisor;
    own: OwnProject | null;
  }) {
    this.bundles = parts.bundles;
    this.setBundles = parts.setBundles;
    this.controller = parts.controller;
    this.storage = parts.storage;
    this.#dir = parts.dir;
    this.#log = parts.log;
    this.#lab = parts.lab;
    this.#subjects = parts.subjects;
    this.#subjectPeers = parts.subjectPeers;
    this.#servers = parts.servers;
    this.#commands = parts.commands;
    this.#supervisor = parts.supervisor;
    this.#own = parts.own;
  }

  /** Bundles the Workers and starts every process. Whatever was started is stopped again when a part fails. */
  static async start(options: LocalRuntimeOptions): Promise<LocalRuntime> {
    // Ports first: they are the cheapest thing that can fail.
    const { slots, servers, commands } = options;
    const count = 3 + slots.length + (servers?.slots.length ?? 0) + (commands?.size ?? 0);
    return startOnPorts(count, options.port, (ports) => LocalRuntime.#startOn(ports, options));
  }

  static async #startOn(
    [controllerPort, ledgerPort, supervisorPort, ...slotPorts]: readonly number[],
    options: LocalRuntimeOptions,
  ): Promise<LocalRuntime> {
    if (controllerPort === undefined || ledgerPort === undefined || supervisorPort === undefined)
      throw new Error("no ports were picked");
    const serverSlots = options.servers?.slots ?? [];
    const { storage, parent } = chooseStorage(options.storage, options.trials);
    const dir = await mkdtemp(join(parent, SCRATCH_PREFIX));
    await enterFolder(dir);
    const log = createWriteStream(join(dir, WORKERS_LOG));
    const started: SubjectProcess[] = [];
    let supervisor: Supervisor | undefined;
    try {
      const { own } = options;
      // One of the two is not run, and is not bundled either.
      const role = own === undefined ? "subject" : "gate";
      const {
        ledger,
        controller,
        [role]: beside,
      } = await getBundles([role, "ledger", "controller"], {
        host: options.host,
        workDir: join(dir, "bundles"),
        cacheFolder: bundleCacheFolder(),
        onBundling: options.onBundling,
        signal: options.signal,
      });
      const subject = own?.project.bundle ?? beside;
      const runnable = new Map<ReadySet, RunnableSet>();
      for (const set of new Set(
        [...(options.sets?.values() ?? [])].flatMap((pair) => [pair.before, pair.after]),
      )) {
        const { subject: bundle } = await getBundles(["subject"], {
          host: set.host,
          root: set.root,
          compatibilityDate: set.compatibilityDate,
          workDir: join(dir, "bundles"),
          cacheFolder: bundleCacheFolder(),
          onBundling: options.onBundling,
          signal: options.signal,
        });
        runnable.set(set, { name: set.name, bundle, miniflare: set.miniflare });
      }
      const setsOf = (slot: string) => {
        const pair = options.sets?.get(slot);
        const [before, after] =
          pair === undefined ? [] : [runnable.get(pair.before), runnable.get(pair.after)];
        return before === undefined || after === undefined ? undefined : { before, after };
      };
      // Made anew for every runtime; it never leaves these processes.
      const secret = randomBytes(24).toString("hex");
      // A process may still say something while it is stopped, when nobody listens any more.
      const note = (text: string) => void (log.writableEnded || log.write(text));
      const shared = { secret, onOutput: note };
      const ports = new Map(
        [...options.slots, ...serverSlots, ...(options.commands?.keys() ?? [])].map((slot, index) => [
          slot,
          slotPorts[index] ?? 0,
        ]),
      );
      const portOf = (slot: string) => ports.get(slot) ?? 0;
      const onSlotDied = (slot: string) => (end: ProcessEnd) => options.onSlotDied?.(slot, end);
      const lab = new WorkerProcess({
        ...shared,
        build: null,
        // No trial lives in it, and it loses nothing that was written: it goes on where it was.
        onDied: ({ pid }) => {
          note(`the lab's process ${pid} ended and is started again\n`);
          lab.start().catch((error: unknown) => note(`the lab could not be started: ${error}\n`));
        },
        persistDir: join(dir, "lab"),
        workers: [
          {
            bundle: controller,
            port: controllerPort,
            remote: Object.fromEntries([...ports].map(([slot, port]) => [slotBindingName(slot), port])),
          },
          { bundle: ledger, port: ledgerPort, remote: {} },
        ],
      });
      const subjects = new Map(
        options.slots.map((slot) => [
          slot,
          new WorkerProcess({
            ...shared,
            build: "build-1",
            sets: setsOf(slot),
            onDied: onSlotDied(slot),
            persistDir: join(dir, `subject-${slot}`),
            workers:
              own === undefined
                ? [
                    {
                      bundle: subject,
                      port: portOf(slot),
                      remote: { LEDGER: ledgerPort, CONTROLLER: controllerPort, SUPERVISOR: supervisorPort },
                    },
                  ]
                : [
                    {
                      bundle: subject,
                      port: portOf(slot),
                      remote: { KIT_LEDGER: ledgerPort, KIT_CONTROLLER: controllerPort },
                      outbound: beside.name,
                    },
                    {
                      bundle: beside,
                      port: null,
                      remote: { LEDGER: ledgerPort, CONTROLLER: controllerPort },
                      bindings: gateBindings(own.project, own.onlyTrialOf(slot)),
                    },
                  ],
          }),
        ]),
      );
      const pinned = options.servers?.binary ?? "";
      const runnableServer = ({ name, server }: ReadySet) => ({ name, binary: server?.binary ?? pinned });
      const serversOf = (slot: string) => {
        const pair = options.sets?.get(slot);
        return pair === undefined
          ? undefined
          : { before: runnableServer(pair.before), after: runnableServer(pair.after) };
      };
      const urls = {
        ledgerUrl: `http://127.0.0.1:${ledgerPort}`,
        controllerUrl: `http://127.0.0.1:${controllerPort}`,
      };
      const servers = new Map(
        serverSlots.map((slot) => {
          const sets = serversOf(slot);
          const server = new ServerSlot({
            ...shared,
            ...urls,
            onDied: onSlotDied(slot),
            binary: sets?.before.binary ?? pinned,
            sets,
            folder: join(dir, slot),
            port: portOf(slot),
          });
          return [slot, server] as const;
        }),
      );
      const commands = new Map(
        [...(options.commands ?? [])].map(([slot, agent]) => {
          const { ledgerUrl } = urls;
          const command = new CommandSlot({
            ...shared,
            ledgerUrl,
            agent,
            folder: join(dir, slot),
            port: portOf(slot),
          });
          return [slot, command] as const;
        }),
      );
      supervisor = new Supervisor({
        ...shared,
        ...urls,
        folder: join(dir, "containers"),
        port: supervisorPort,
        clis: options.clis ?? new Map(),
        witness: new ExecutorRecords({ url: urls.ledgerUrl, secret }),
      });
      // Nobody would ask for a container otherwise, and nothing more is to listen than has to.
      if (options.containers === true) await supervisor.start();
      started.push(lab, ...subjects.values(), ...servers.values(), ...commands.values());
      // Beside each other: none asks another for anything before its first trial.
      await startAll([lab, ...subjects.values(), ...commands.values()]);
      // A server takes a processor for itself until it is up, and gives up when that takes too long.
      const waiting = [...servers.values()];
      while (waiting.length > 0) await startAll(waiting.splice(0, availableParallelism()));
      return new LocalRuntime({
        bundles: new Map([subject, ledger, controller].map((bundle) => [bundle.role, bundle])),
        setBundles: new Map([...runnable.values()].map(({ name, bundle }) => [name, bundle])),
        controller: { fetch: localFetch, base: `http://127.0.0.1:${controllerPort}`, secret },
        storage,
        dir,
        log,
        lab,
        subjects,
        subjectPeers: new Map(
          options.slots.map((slot) => [
            slot,
            { fetch: localFetch, base: `http://127.0.0.1:${portOf(slot)}`, secret },
          ]),
        ),
        servers,
        commands,
        supervisor,
        own: own?.project ?? null,
      });
    } catch (error) {
      await Promise.all(started.map((process) => process.stop().catch(() => undefined)));
      await supervisor?.stop().catch(() => undefined);
      log.end();
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  /** Where all processes keep what they store. */
  get storageFolder(): string {
    return this.#dir;
  }

  /** Output of all processes so far. */
  get logFile(): string {
    return join(this.#dir, WORKERS_LOG);
  }

  /**
   * Resets the process of a slot, on the same storage and port. The witness is told of the old process's end before the new
   * one is started.
   *
   * @throws when the slot or the reset is unknown.
   */
  async resetSlot(
    slot: string,
    order: ProcessResetOrder,
    witness: ProcessWitness,
  ): Promise<ProcessResetOutcome> {
    return resetProcess(this.#processOf(slot), {
      ...order,
      what: this.#whatIs(slot),
      witness,
      nextBuild: () => {
        this.#builds += 1;
        return `build-${this.#builds}`;
      },
    });
  }

  /** Starts the process of a slot again, which had ended. Resolves with its id once it listens. */
  async startSlot(slot: string): Promise<number | null> {
    const process = this.#processOf(slot);
    await process.start();
    return process.pid;
  }

  /** The process that runs on a slot's storage; null while none does, undefined where the slot tells of it itself. */
  pidOf(slot: string): number | null | undefined {
    return this.#commands.has(slot) ? undefined : this.#processOf(slot).pid;
  }

  /** Evicts one idle object. @throws with the runtime's own words when it refuses. */
  async evict(slot: string, subject: Subject, trial: string): Promise<void> {
    const name = this.#own?.nameOf(trial) ?? objectName(subject, trial);
    await this.#subject(slot).evict(this.#subjectWorker(), this.#className(subject), name);
  }

  /** A container that the trial may ask for is to be as its spec says, and a command is its trial's. */
  trialBegins(spec: TrialSpec): void {
    this.#commands.get(spec.slot)?.expect(spec);
    if (spec.container === undefined) return;
    const { workspace = "snapshot", supervision = "kills" } = spec.factors;
    this.#supervisor.expect(spec.trial, { workspace, supervision, syncMs: executorSyncMsOf(spec) });
  }

  /** The executor of a trial, for a reset of it. */
  executorOf(trial: string): ReachedExecutor {
    return this.#supervisor.reach(trial);
  }

  /** Ends what works for a trial alone, which takes memory until then. */
  async trialOver({ trial, slot }: TrialSpec): Promise<void> {
    await this.#commands.get(slot)?.end();
    await this.#supervisor.trialOver(trial);
  }

  /** Where the object of a trial keeps its data, for reading it offline. `objectId` is the object's own. */
  storedObject(slot: string, subject: Subject, objectId: string): StoredObject {
    return {
      persistDir: join(this.#dir, `subject-${slot}`),
      worker: this.#subjectWorker(),
      className: this.#className(subject),
      objectId,
    };
  }

  /** Whether the slot is a process of its own kind, whose resets wait for no other slot's. */
  isApart(slot: string): boolean {
    return this.#servers.has(slot) || this.#commands.has(slot);
  }

  /** Where a trial's session on a server lies, for reading it offline. */
  storedSession(slot: string, trial: string): ReturnType<ServerSlot["stored"]> {
    const server = this.#servers.get(slot);
    if (server === undefined) throw new Error(`slot '${slot}' is no server`);
    return server.stored(trial);
  }

  /** One request to some other object of some subject process: an alarm witness that no trial knows. */
  async disturb(number: number): Promise<void> {
    const slots = [...this.#subjectPeers.values()];
    const peer = slots[number % slots.length];
    if (peer === undefined) return;
    const body = { delayMs: 600_000, silent: true };
    await send(peer, "POST", `/witnesses/background-${number % BACKGROUND_OBJECTS}`, { body });
  }

  #processOf(slot: string): SubjectProcess {
    return this.#servers.get(slot) ?? this.#commands.get(slot) ?? this.#subject(slot);
  }

  /** What its process is, in words. */
  #whatIs(slot: string): string {
    if (this.#servers.has(slot)) return "OpenCode server";
    return this.#commands.has(slot) ? "agent" : "workerd";
  }

  #subject(slot: string): WorkerProcess {
    const subject = this.#subjects.get(slot);
    if (subject === undefined) throw new Error(`there is no slot '${slot}'`);
    return subject;
  }

  #subjectWorker(): string {
    return this.bundles.get("subject")?.name ?? "";
  }

  /** The subject's Durable Object class, as `wrangler.jsonc` binds it. */
  #className(subject: Subject): string {
    if (this.#own !== null) return this.#own.className;
    const bindings = this.bundles.get("subject")?.options.durableObjects ?? {};
    const bound = Binding.safeParse(Reflect.get(bindings, subjectBindingName(subject) ?? ""));
    if (!bound.success) throw new Error(`subject '${subject}' is no Durable Object of the subject Worker`);
    return bound.data.className;
  }

  /** Restarts the lab process on its own storage: what its Workflows and ledgers survive. */
  async restartLab(): Promise<void> {
    await this.#lab.stop();
    await this.#lab.start();
  }

  /** Process ids of everything running. */
  pids(): number[] {
    return [this.#lab, ...this.#subjects.values(), ...this.#servers.values(), ...this.#commands.values()]
      .map(({ pid }) => pid)
      .filter((pid) => pid !== null)
      .concat(this.#supervisor.pids());
  }

  /**
   * Stops every process and removes the storage, unless it is to be kept. `keepLogIn`: the folder in which the end of what
   * they printed stays.
   */
  async stop({
    keepStorage = false,
    keepLogIn,
  }: {
    readonly keepStorage?: boolean;
    readonly keepLogIn?: string;
  } = {}): Promise<void> {
    const processes: SubjectProcess[] = [
      ...this.#commands.values(),
      ...this.#servers.values(),
      ...this.#subjects.values(),
      this.#lab,
    ];
    await Promise.all(processes.map((process) => process.stop().catch(() => undefined)));
    await this.#supervisor.stop().catch(() => undefined);
    await new Promise<void>((resolve) => this.#log.end(resolve));
    // A disk may be full: the traces are what a run is for.
    if (keepLogIn !== undefined)
      await keepLog(this.logFile, join(keepLogIn, WORKERS_LOG), this.controller.secret).catch(
        () => undefined,
      );
    if (keepStorage) this.#dir = await keepFolder(this.#dir);
    else await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
