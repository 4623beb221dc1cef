/**
 * One workerd process with some of the kit's Workers in it: started by Miniflare, ended gracefully or by SIGKILL,
 * and started again on the same storage and ports.
 *
 * The process's death is observed as the operating system reports it, because it is evidence. Miniflare would answer it
 * with a process of its own on the same storage, which nobody ordered: it is kept from that.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";
import type { Json, Miniflare } from "miniflare";
import * as installed from "miniflare";
import { UserError } from "../../base/user-error.ts";
import { enterScratch } from "../process/scratch.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import type { WorkerBundle } from "./bundle.ts";
import type { MiniflareModule } from "./load-set.ts";

type WorkerPlacement = {
  readonly bundle: WorkerBundle;
  /** Where the Worker listens on 127.0.0.1; null where only other Workers of the process reach it. */
  readonly port: number | null;
  /** Service bindings which lead to another process, by binding name. */
  readonly remote: Readonly<Record<string, number>>;
  /** The Worker of this process that every request goes to which leaves this one. */
  readonly outbound?: string;
  /** Values beside those that the configuration declares. */
  readonly bindings?: Readonly<Record<string, Json>>;
};

/** An SDK set as a process runs it. */
export type RunnableSet = {
  readonly name: string;
  /** Of the subject Worker. */
  readonly bundle: WorkerBundle;
  /** Brings the workerd. */
  readonly miniflare: MiniflareModule;
};

type ProcessOptions = {
  /** What the process begins with, and what it has after an upgrade; absent for what is installed. */
  readonly sets?: { readonly before: RunnableSet; readonly after: RunnableSet } | undefined;
  readonly workers: readonly WorkerPlacement[];
  /** Durable Objects and alarms are kept here across restarts. */
  readonly persistDir: string;
  readonly secret: string;
  /** Name of the first build; a redeploy brings another one. Null for processes that are never redeployed. */
  readonly build: string | null;
  /** Whatever the process prints; the kit's own logs go to a file, never into a trace. */
  readonly onOutput: (text: string) => void;
  /** The process ended and nobody here had ended it. It stays away until it is started again. */
  readonly onDied: (end: ProcessEnd) => void;
};

/** How long a process may take to end by itself before it is killed, in ms. */
const GRACE_MS = 5_000;

/** Whose start is going on, so that of several at once each knows its own process. */
const starting = new AsyncLocalStorage<WorkerProcess>();

export class WorkerProcess {
  readonly #options: ProcessOptions;
  #miniflare: Miniflare | undefined;
  #child: ChildProcess | undefined;
  /** Resolves when the last Miniflare has let go of everything it held. */
  #disposal: Promise<void> = Promise.resolve();
  /** Told of the process's end by whoever ends it. */
  #onMeantEnd: ((end: ProcessEnd) => void) | undefined;
  #build: string | null;
  /** Whether the next start brings the second set. */
  #upgraded = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#build = options.build;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts the process and resolves once every Worker listens. */
  async start(): Promise<void> {
    // From there on it gets a session of its own, and ends with this process.
    await enterScratch();
    await this.#disposal;
    const children: ChildProcess[] = [];
    const note = (message: unknown) => {
      if (starting.getStore() === this && isSpawn(message)) children.push(message.process);
    };
    subscribe("child_process", note);
    try {
      await starting.run(this, async () => {
        const { Miniflare } = this.#set?.miniflare ?? installed;
        this.#miniflare = keepingSignalHandlers(() => new Miniflare(this.#miniflareOptions()));
        await this.#miniflare.ready;
      });
    } catch (error) {
      throw dateTooNew(error, this.#set?.name ?? null) ?? error;
    } finally {
      unsubscribe("child_process", note);
    }
    this.#watch(children.filter((child) => basename(child.spawnfile).includes("workerd")));
  }

  /** Has the next start bring other code. The script differs, and the Worker can name its build. */
  useBuild(build: string): void {
    this.#build = build;
  }

  /** Has the next start bring the other set. */
  useNextSet(build: string): { readonly from: string; readonly to: string } {
    const from = this.#set;
    this.#upgraded = !this.#upgraded;
    const to = this.#set;
    if (from === undefined || to === undefined) throw new Error("this process has no other SDK set");
    this.#build = build;
    return { from: from.name, to: to.name };
  }

  get #set(): RunnableSet | undefined {
    return this.#upgraded ? this.#options.sets?.after : this.#options.sets?.before;
  }

  /**
   * Evicts one object as soon as it is idle, which may take long. @throws with the runtime's own words when it refuses.
   *
   * Miniflare waits for the first answer of such a call synchronously, and would stop this whole process meanwhile:
   * no other slot could be reset. An argument that it can only send asynchronously makes it wait like anybody else;
   * whoever answers ignores it.
   */
  async evict(worker: string, className: string, name: string): Promise<void> {
    const options = { name, sentAsynchronously: new Blob([]) };
    await this.#miniflare?.unsafeEvictDurableObject(worker, className, options);
  }

  /** Ends the process with SIGKILL. Resolves when the operating system reports its end. */
  kill(): Promise<ProcessEnd> {
    return this.#end("SIGKILL");
  }

  /** Asks the process to end (SIGTERM) and gives it some time; what it then did is in the result. */
  async shutDown(): Promise<ProcessEnd> {
    const child = this.#child;
    const patience = setTimeout(() => child?.kill("SIGKILL"), GRACE_MS);
    try {
      return await this.#end("SIGTERM");
    } finally {
      clearTimeout(patience);
    }
  }

  /** Stops the process because it is not needed any more. */
  async stop(): Promise<void> {
    this.#child = undefined;
    this.#dispose();
    await this.#disposal;
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<ProcessEnd> {
    const child = this.#child;
    if (child === undefined) throw new Error("there is no process to end");
    const ended = new Promise<ProcessEnd>((resolve) => {
      this.#onMeantEnd = resolve;
    });
    child.kill(signal);
    return ended;
  }

  /** Keeps the process that a start brought, of which there must be one that lives. */
  #watch(children: readonly ChildProcess[]): void {
    const [child, another] = children;
    if (child?.pid === undefined) throw new Error("the workerd process was not observed");
    if (another !== undefined || child.exitCode !== null || child.signalCode !== null)
      throw new Error("the workerd process ended while it was started");
    const { pid } = child;
    if (!leadsGroup(pid)) throw new Error(`workerd (process ${pid}) would be hit by the terminal's Ctrl-C`);
    this.#child = child;
    child.once("exit", (exitCode, signal) => {
      // One that is not needed any more is nobody's loss.
      if (this.#child !== child) return;
      this.#child = undefined;
      // Now, not a turn later: Miniflare's own handler of this event starts another process unless it is disposed.
      this.#dispose();
      const tell = this.#onMeantEnd ?? this.#options.onDied;
      this.#onMeantEnd = undefined;
      tell({ pid, exitCode, signal });
    });
  }

  #dispose(): void {
    const miniflare = this.#miniflare;
    this.#miniflare = undefined;
    if (miniflare === undefined) return;
    this.#disposal = miniflare.dispose();
    // Whoever starts or stops next is told; until then nobody waits for it.
    this.#disposal.catch(() => undefined);
  }

  #miniflareOptions() {
    const { persistDir, secret, onOutput } = this.#options;
    const set = this.#set;
    const { convertV4MiniflareOptions, Log, LogLevel } = set?.miniflare ?? installed;
    const workers = this.#options.workers.map((placed) =>
      set !== undefined && placed.bundle.role === "subject" ? { ...placed, bundle: set.bundle } : placed,
    );
    const build = this.#build;
    const here = new Set(workers.map(({ bundle }) => bundle.name));
    const converted = convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: persistDir,
      // Miniflare's own remarks are not evidence; an uncaught error of a Worker shows in its output.
      log: new Log(LogLevel.NONE),
      workers: workers.map(({ bundle, port, remote, outbound, bindings }) => ({
        ...withoutModuleRules(bundle.options),
        name: bundle.name,
        // The build's name is part of the script too: a redeploy brings other code, not only another variable.
        ...codeOf(bundle, build === null ? "" : `\n// ${build}\n`),
        ...(outbound === undefined ? {} : { outboundService: outbound }),
        bindings: {
          ...declaredBindings(bundle),
          ...bindings,
          KIT_SECRET: secret,
          ...(build === null ? {} : { KIT_BUILD: build }),
        },
        serviceBindings: {
          ...localBindings(bundle, here),
          ...Object.fromEntries(
            Object.entries(remote).map(([binding, remotePort]) => [
              binding,
              { external: { address: `127.0.0.1:${remotePort}`, http: {} } },
            ]),
          ),
        },
        ...(port === null ? {} : { unsafeDirectSockets: [{ host: "127.0.0.1", port }] }),
      })),
    });
    // What the Workers print goes to a file: it is for debugging, never evidence, and not for the user's terminal.
    return {
      ...converted,
      handleStructuredLogs: ({ level, message }: { level: string; message: string }) =>
        onOutput(`${level}: ${message}\n`),
    };
  }
}

/**
 * Miniflare ends the whole Node process on Ctrl-C. Where somebody else handles these signals already, they stop the run
 * in order first, so Miniflare's handlers are taken out again. Its clean-up when the process exits stays.
 */
function keepingSignalHandlers<T>(create: () => T): T {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const created = create();
  for (const [index, signal] of signals.entries()) {
    const own = before[index] ?? [];
    if (own.length === 0) continue;
    for (const listener of process.listeners(signal))
      if (!own.includes(listener)) process.off(signal, listener);
  }
  return created;
}

/** The declared service bindings whose Worker is in this process. Those that lead elsewhere are given by port. */
function localBindings(bundle: WorkerBundle, here: ReadonlySet<string>) {
  return Object.fromEntries(
    Object.entries(bundle.options.serviceBindings ?? {}).filter(
      ([, target]) => typeof target === "object" && "name" in target && here.has(String(target.name)),
    ),
  );
}

/** The script alone, or with the modules that it imports. */
function codeOf({ script, modules }: WorkerBundle, end: string) {
  if (modules === undefined) return { modules: true as const, script: script + end };
  const root = "/bundle";
  return {
    modulesRoot: root,
    modules: [
      { type: "ESModule" as const, path: `${root}/index.js`, contents: script + end },
      ...modules.map(({ name, type, contents }) => ({ type, path: `${root}/${name}`, contents })),
    ],
  };
}

/** The script is bundled already, so the rules for finding modules have nothing left to say. */
function withoutModuleRules({ modulesRules: _, ...options }: WorkerBundle["options"]) {
  return options;
}

/** The plain variables that the configuration declares. */
function declaredBindings(bundle: WorkerBundle): Record<string, never> {
  const { bindings } = bundle.options;
  return typeof bindings === "object" && bindings !== null ? { ...(bindings as Record<string, never>) } : {};
}

function leadsGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** workerd's refusal of a date that it does not know yet, as a sentence for whoever chose the date; null for another error. */
function dateTooNew(error: unknown, set: string | null): UserError | null {
  const text = error instanceof Error ? error.message : String(error);
  const found =
    /compatibility date \\?"([^"\\]*)\\?", but the newest date supported by this server binary is \\?"([^"\\]*)\\?"/.exec(
      text,
    );
  if (found === null) return null;
  const [, date, newest] = found;
  const what =
    set === null ? "in the wrangler.jsonc of all Workers" : `for SDK set '${set}' in experiments/sdk-sets.ts`;
  return new UserError(
    `the installed workerd knows compatibility dates up to ${newest}, and ${date} is asked for: set ${newest} or an earlier one ${what}`,
  );
}

function isSpawn(message: unknown): message is { process: ChildProcess } {
  return typeof message === "object" && message !== null && "process" in message;
}
