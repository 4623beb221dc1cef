/**
 * The real OpenCode server as a child process: started on an empty home, killed with SIGKILL, started again on the
 * same home. Only ends the process that it started.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { pickPorts } from "../../../scripts/runtime/ports.ts";

/** The catalog loads in the background after the server listens; a cold start took about ten seconds. */
const START_MS = 90_000;
/** Requests that arrive while the server boots may hang for ever, so each has its own limit. */
const REQUEST_MS = 5_000;
const STOP_MS = 5_000;
/** Others may be measuring on the same machine. */
const NICENESS = 10;

export const MODEL = { providerID: "fake", id: "main" } as const;

const Models = z.object({ data: z.array(z.object({ id: z.string(), providerID: z.string() })) });

export class ServerProcess {
  readonly #binary: string;
  /** Holds the server's home and its project. */
  readonly #folder: string;
  readonly #password = crypto.randomUUID();
  #child: ChildProcess | undefined;
  #url = "";
  #output = "";

  constructor(binary: string, folder: string) {
    this.#binary = binary;
    this.#folder = folder;
    process.once("exit", () => this.#child?.kill("SIGKILL"));
  }

  get url(): string {
    return this.#url;
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`opencode:${this.#password}`).toString("base64")}`;
  }

  async configure(modelUrl: string): Promise<void> {
    await mkdir(join(this.#folder, "home"), { recursive: true });
    await mkdir(join(this.#folder, "project"), { recursive: true });
    await writeFile(
      join(this.#folder, "project/opencode.json"),
      JSON.stringify(configFor(modelUrl), null, 2),
    );
  }

  async start(): Promise<void> {
    const [port] = await pickPorts(1, null);
    this.#url = `http://127.0.0.1:${port}`;
    const child = spawn(this.#binary, ["serve", "--port", String(port), "--hostname", "127.0.0.1"], {
      cwd: join(this.#folder, "project"),
      env: this.#environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#note(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#note(chunk));
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    await this.#ready(child);
  }

  /** Nothing is written on the way: as a crash of the machine would have it. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await this.#end("SIGTERM");
    clearTimeout(timer);
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async #ready(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (Date.now() < deadline) {
      if (hasEnded(child)) throw new Error(`The OpenCode server ended at once:\n${this.#output}`);
      if (await this.#listsModel()) return;
      await delay(200);
    }
    throw new Error(
      `The OpenCode server did not offer the scripted model in ${START_MS} ms:\n${this.#output}`,
    );
  }

  async #listsModel(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/api/model`, {
        headers: { authorization: this.authorization },
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      const models = Models.safeParse(await response.json());
      return (
        models.success &&
        models.data.data.some(({ id, providerID }) => id === MODEL.id && providerID === MODEL.providerID)
      );
    } catch {
      return false;
    }
  }

  /** Nothing of the user's own OpenCode, and no look at the network for models, updates or language servers. */
  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: join(this.#folder, "home"),
      OPENCODE_SERVER_PASSWORD: this.#password,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    };
  }

  #note(chunk: Buffer): void {
    this.#output = (this.#output + chunk.toString()).slice(-10_000);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function configFor(modelUrl: string) {
  const name = `${MODEL.providerID}/${MODEL.id}`;
  return {
    model: name,
    small_model: name,
    autoupdate: false,
    share: "disabled",
    permission: { "*": "allow" },
    provider: {
      [MODEL.providerID]: {
        name: "Scripted",
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: modelUrl, apiKey: "none" },
        models: {
          [MODEL.id]: { name: "Main", tool_call: true, limit: { context: 128_000, output: 8_192 } },
        },
      },
    },
  };
}
