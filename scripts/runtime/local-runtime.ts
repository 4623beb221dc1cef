/**
 * The local runtime: the lab (controller and ledger) in one workerd process that is never reset, and one workerd
 * process for each subject slot. All from the Workers' own wrangler files, linked by HTTP service bindings.
 *
 * Leaves to others: what runs when (scripts/run), what a reset proves (src/reconcile).
 */
import { randomBytes, randomUUID } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slotBindingName } from "../../src/controller/slots.ts";
import type { Peer } from "../../src/link/call.ts";
import type { RecordDraft } from "../../src/trace/records.ts";
import { bundleWorker, type WorkerBundle, type WorkerRole } from "./bundle.ts";
import type { HostChoice } from "./host.ts";
import { pickPorts } from "./ports.ts";
import { WorkerProcess } from "./worker-process.ts";

export type LocalRuntimeOptions = {
  readonly host: HostChoice;
  /** Subject slots, one process each. */
  readonly slots: readonly string[];
  readonly port: number | null;
};

type ProcessReset = "kill" | "restart";

export class LocalRuntime {
  readonly bundles: ReadonlyMap<WorkerRole, WorkerBundle>;
  /** The controller, as the CLI reaches it. */
  readonly controller: Peer;
  readonly #dir: string;
  readonly #log: WriteStream;
  readonly #lab: WorkerProcess;
  readonly #subjects: ReadonlyMap<string, WorkerProcess>;

  private constructor(parts: {
    bundles: ReadonlyMap<WorkerRole, WorkerBundle>;
    controller: Peer;
    dir: string;
    log: WriteStream;
    lab: WorkerProcess;
    subjects: ReadonlyMap<string, WorkerProcess>;
  }) {
    this.bundles = parts.bundles;
    this.controller = parts.controller;
    this.#dir = parts.dir;
    this.#log = parts.log;
    this.#lab = parts.lab;
    this.#subjects = parts.subjects;
  }

  /** Bundles the Workers and starts every process. Whatever was started is stopped again when a part fails. */
  static async start(options: LocalRuntimeOptions): Promise<LocalRuntime> {
    // Ports first: they are the cheapest thing that can fail.
    const [controllerPort, ledgerPort, ...subjectPorts] = await pickPorts(
      2 + options.slots.length,
      options.port,
    );
    if (controllerPort === undefined || ledgerPort === undefined) throw new Error("no ports were picked");
    const dir = await mkdtemp(join(tmpdir(), "recovery-kit-"));
    const log = createWriteStream(join(dir, "workers.log"));
    const started: WorkerProcess[] = [];
    try {
      const roles: WorkerRole[] = ["subject", "ledger", "controller"];
      const [subject, ledger, controller] = await Promise.all(
        roles.map((role) => bundleWorker(role, options.host, join(dir, "bundles"))),
      );
      if (subject === undefined || ledger === undefined || controller === undefined)
        throw new Error("a bundle is missing");
      // Made anew for every runtime; it never leaves these processes.
      const secret = randomBytes(24).toString("hex");
      const shared = { secret, onOutput: (text: string) => log.write(text) };
      const slotPorts = new Map(options.slots.map((slot, index) => [slot, subjectPorts[index] ?? 0]));
      const lab = new WorkerProcess({
        ...shared,
        persistDir: join(dir, "lab"),
        workers: [
          {
            bundle: controller,
            port: controllerPort,
            remote: Object.fromEntries([...slotPorts].map(([slot, port]) => [slotBindingName(slot), port])),
          },
          { bundle: ledger, port: ledgerPort, remote: {} },
        ],
      });
      const subjects = new Map(
        [...slotPorts].map(([slot, port]) => [
          slot,
          new WorkerProcess({
            ...shared,
            persistDir: join(dir, `subject-${slot}`),
            workers: [{ bundle: subject, port, remote: { LEDGER: ledgerPort, CONTROLLER: controllerPort } }],
          }),
        ]),
      );
      for (const process of [lab, ...subjects.values()]) {
        started.push(process);
        await process.start();
      }
      return new LocalRuntime({
        bundles: new Map([subject, ledger, controller].map((bundle) => [bundle.role, bundle])),
        controller: { fetch, base: `http://127.0.0.1:${controllerPort}`, secret },
        dir,
        log,
        lab,
        subjects,
      });
    } catch (error) {
      await Promise.all(started.map((process) => process.stop().catch(() => undefined)));
      log.end();
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  /** Folder of one slot's storage, for offline inspection. */
  persistDir(slot: string): string {
    return join(this.#dir, `subject-${slot}`);
  }

  /** Output of all processes so far. */
  get logFile(): string {
    return join(this.#dir, "workers.log");
  }

  /**
   * Resets the process of a slot and starts it again on the same storage and port. Returns the record that reports it
   * for one trial; `trials` is how many the process held.
   */
  async resetSlot(
    slot: string,
    reset: ProcessReset,
    ordinal: number,
    trials: number,
  ): Promise<RecordDraft<"reset.performed">> {
    const subject = this.#subjects.get(slot);
    if (subject === undefined) throw new Error(`there is no slot '${slot}'`);
    const pid = subject.pid ?? 0;
    const end =
      reset === "kill"
        ? await subject.kill()
        : await subject.stop().then(() => ({ pid, exitCode: null, signal: null }));
    await subject.start();
    return {
      source: "cli",
      type: "reset.performed",
      reset,
      ordinal,
      mechanism: reset === "kill" ? "SIGKILL of the subject's workerd process" : "graceful stop and start",
      error: null,
      process: { ...end, nextPid: subject.pid, trials, cluster: randomUUID() },
    };
  }

  /** Restarts the lab process on its own storage: what its Workflows and ledgers survive. */
  async restartLab(): Promise<void> {
    await this.#lab.stop();
    await this.#lab.start();
  }

  /** Process ids of everything running. */
  pids(): number[] {
    return [this.#lab, ...this.#subjects.values()].map(({ pid }) => pid).filter((pid) => pid !== null);
  }

  /** Stops every process and removes the storage. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#subjects.values(), this.#lab].map((process) => process.stop().catch(() => undefined)),
    );
    this.#log.end();
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
