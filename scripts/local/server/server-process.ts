/**
 * The real OpenCode server as a child process: started on a home and a project of its own, ended by SIGKILL or SIGTERM,
 * started again on the same data. Only ends the process that it started, and reports its end as the operating system
 * does, because that is evidence.
 *
 * Leaves to others: installing it (install.ts), its configuration (server-config.ts), speaking to it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { MachineError } from "../../base/machine-error.ts";
import { pickPorts } from "../process/ports.ts";
import { enterScratch } from "../process/scratch.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import { isolatingEnvironment, MODEL } from "./server-config.ts";
import { lastErrorIn } from "./server-log.ts";

/** The catalog loads in the background after the server listens; a cold start took ten seconds, on a busy machine more than a hundred and fifty. */
const START_MS = 300_000;
/** A server that cannot open its project answers every request with a failure of its own, and goes on to listen. */
const FAILING_MS = 15_000;
/** Requests that arrive while the server boots may hang for ever, so each has its own limit. */
const REQUEST_MS = 5_000;
/** How long the server may take to end by itself before it is killed. */
const GRACE_MS = 5_000;

/** Of the older API, which every version has. */
const Providers = z.object({
  providers: z.array(z.object({ id: z.string(), models: z.record(z.string(), z.unknown()) })),
});
const Models = z.object({ data: z.array(z.object({ id: z.string(), providerID: z.string() })) });

type ServerOptions = {
  readonly binary: string;
  /** Holds the server's home and its project. */
  readonly folder: string;
  /** Absent for the priority of this process. */
  readonly niceness?: number;
  readonly onOutput?: (text: string) => void;
  /** The server ended and nobody here had ended it. It stays away until it is started again. */
  readonly onDied?: (end: ProcessEnd) => void;
};

export class ServerProcess {
  readonly #options: ServerOptions;
  readonly #password = crypto.randomUUID();
  #child: ChildProcess | undefined;
  /** Whether somebody here is ending the process. */
  #isMeant = false;
  #url = "";
  #output = "";
  #binary: string;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#binary = options.binary;
    process.once("exit", () => this.#child?.kill("SIGKILL"));
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number | null {
    return this.#child === undefined || hasEnded(this.#child) ? null : (this.#child.pid ?? null);
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`opencode:${this.#password}`).toString("base64")}`;
  }

  get binary(): string {
    return this.#binary;
  }

  /** The next start runs this binary, on the same data. */
  useBinary(binary: string): void {
    this.#binary = binary;
  }

  /** Where the server keeps its data: what survives it. */
  get dataFolder(): string {
    return join(this.#options.folder, "home/.local/share/opencode");
  }

  /** Writes files of the project, by their path in it, before the first start. */
  async configure(files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(this.dataFolder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.#options.folder, "project", path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  /** Starts the process and resolves once it offers its model. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.spawn(environment);
    await this.ready();
  }

  /** Starts the process without waiting for it. */
  async spawn(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { folder, niceness } = this.#options;
    this.#output = "";
    // From there on it gets a session of its own, and ends with this process.
    await enterScratch();
    const [port] = await pickPorts(1, null);
    this.#url = `http://127.0.0.1:${port}`;
    const child = spawn(this.#binary, ["serve", "--port", String(port), "--hostname", "127.0.0.1"], {
      cwd: join(folder, "project"),
      env: {
        ...isolatingEnvironment(join(folder, "home")),
        OPENCODE_SERVER_PASSWORD: this.#password,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#isMeant = false;
    child.stdout.on("data", (chunk: Buffer) => this.#note(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#note(chunk));
    if (niceness !== undefined && child.pid !== undefined) setPriority(child.pid, niceness);
  }

  async ready(): Promise<void> {
    const child = this.#child;
    const deadline = Date.now() + START_MS;
    let failsSince: number | null = null;
    while (Date.now() < deadline) {
      if (child === undefined || hasEnded(child))
        throw new Error(`The OpenCode server ended at once:\n${this.#output}`);
      const answer = await this.#listsModel();
      if (answer === "yes") {
        this.#watch(child);
        return;
      }
      failsSince = answer === "fails" ? (failsSince ?? Date.now()) : null;
      if (failsSince !== null && Date.now() - failsSince > FAILING_MS)
        throw new Error(
          `The OpenCode server listens and fails whatever it is asked: ${await lastErrorIn(this.dataFolder)}`,
        );
      await delay(200);
    }
    const last = this.#output.trim().split("\n").at(-1);
    throw new MachineError(
      `the OpenCode server did not offer the scripted model within ${START_MS / 1_000} s; its last words: ${last || "none"}. Run again when the machine has less to do`,
    );
  }

  /** Nothing is written on the way: as a crash of the machine would have it. */
  kill(): Promise<ProcessEnd> {
    return this.#end("SIGKILL");
  }

  /** Asks the process to end and gives it some time; what it then did is in the result. */
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
    const child = this.#child;
    if (child !== undefined && !hasEnded(child)) await this.shutDown();
  }

  #watch(child: ChildProcess): void {
    child.once("exit", (exitCode, signal) => {
      if (child.pid !== undefined && !this.#isMeant)
        this.#options.onDied?.({ pid: child.pid, exitCode, signal });
    });
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<ProcessEnd> {
    const child = this.#child;
    if (child?.pid === undefined) throw new Error("there is no server to end");
    if (!hasEnded(child)) {
      this.#isMeant = true;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    }
    return { pid: child.pid, exitCode: child.exitCode, signal: child.signalCode };
  }

  /** By the core API, or by the older one where a version has no core: there, a missing route answers with a page. */
  async #listsModel(): Promise<"yes" | "not yet" | "fails"> {
    const said = (isThere: boolean) => (isThere ? "yes" : "not yet");
    try {
      const models = Models.safeParse((await this.#json("/api/model")).body);
      if (models.success)
        return said(
          models.data.data.some(({ id, providerID }) => id === MODEL.id && providerID === MODEL.providerID),
        );
      const { status, body } = await this.#json("/config/providers");
      if (status >= 500) return "fails";
      const { providers } = Providers.parse(body);
      return said(providers.some(({ id, models: own }) => id === MODEL.providerID && MODEL.id in own));
    } catch {
      return "not yet";
    }
  }

  /** Null for an answer that is no JSON. */
  async #json(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await fetch(`${this.#url}${path}`, {
      headers: { authorization: this.authorization },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    const { status } = response;
    if (isJson) return { status, body: await response.json() };
    await response.body?.cancel();
    return { status, body: null };
  }

  #note(chunk: Buffer): void {
    const text = chunk.toString();
    this.#options.onOutput?.(text);
    this.#output = (this.#output + text).slice(-10_000);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
