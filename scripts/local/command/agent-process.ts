/** One start of the agent: its process with whatever that starts, what it says, and how it ends. */
import { ProcessGroup } from "../process/process-group.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import type { Started } from "./agent-command.ts";

/** How much of the end of its output is kept, in characters: an answer states at its end what became of it. */
const OUTPUT_MAX = 20_000;

type AgentProcessOptions = Started & {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput: (text: string) => void;
};

export class AgentProcess {
  readonly #group: ProcessGroup;
  /** Resolves when it has ended and all that it said was read. */
  readonly #closed: Promise<unknown>;
  #said = "";
  #complained = "";

  private constructor(group: ProcessGroup, { input, onOutput }: AgentProcessOptions) {
    this.#group = group;
    const { stdin, stdout, stderr } = group.child;
    this.#closed = new Promise((resolve) => group.child.once("close", resolve));
    stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-OUTPUT_MAX);
      onOutput(text);
    });
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complained = (this.#complained + text).slice(-OUTPUT_MAX);
      onOutput(text);
    });
    // An agent need not read what it is given.
    stdin?.on("error", () => undefined);
    stdin?.end(input);
  }

  /** @throws when the process cannot be started. */
  static async start(options: AgentProcessOptions): Promise<AgentProcess> {
    const { program, args, folder, env } = options;
    const group = await ProcessGroup.start(program, args, {
      cwd: folder,
      env,
      stdio: ["pipe", "pipe", "pipe"],
    }).catch((error: NodeJS.ErrnoException) => {
      // Node's own words name a path of the machine, and these go into a trace.
      throw new Error(`the program cannot be started: ${error.code ?? "no reason is known"}`);
    });
    return new AgentProcess(group, options);
  }

  get pid(): number {
    return this.#group.pid;
  }

  get isRunning(): boolean {
    return this.#group.isRunning;
  }

  /** Resolves when the operating system reports its end. */
  get ended(): Promise<ProcessEnd> {
    return this.#group.ended;
  }

  /** Ends it with whatever it started, and what that left behind. */
  kill(): Promise<ProcessEnd> {
    return this.#group.kill();
  }

  /** The end of what it said, once it has ended; what it started may keep its output open. */
  async answer(): Promise<string> {
    await this.#group.ended;
    await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, OUTPUT_MS))]);
    return this.#said;
  }

  /** The last line of its complaints, or of what it said; null for none. */
  get lastWords(): string | null {
    const lines = (this.#complained.trim() || this.#said.trim()).split("\n");
    return lines.at(-1)?.trim().slice(0, 500) || null;
  }
}

/** How long the rest of its output is waited for after its end, in ms. */
const OUTPUT_MS = 1_000;
