/** One executor: the daemon and whatever it starts, as a process group in a folder of its own. */
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ProcessGroup } from "../process/process-group.ts";
import type { ProcessEnd } from "../process/subject-process.ts";

const DAEMON = fileURLToPath(new URL("agent/daemon.ts", import.meta.url));

/** The first line that the daemon prints. */
const Listening = z.object({ port: z.number().int().positive() });

type ExecutorOptions = {
  /** The container's file system: the daemon's working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
};

export class ExecutorProcess {
  /** Where the daemon listens on 127.0.0.1; never resolves when it ends before. */
  readonly port: Promise<number>;
  readonly #group: ProcessGroup;

  private constructor(group: ProcessGroup, onOutput: (text: string) => void) {
    this.#group = group;
    const { stdout, stderr } = group.child;
    this.port = new Promise((resolve) => {
      if (stdout === null) throw new Error("the daemon has no output");
      createInterface({ input: stdout }).on("line", (line) => {
        const listening = Listening.safeParse(parsed(line));
        if (listening.success) resolve(listening.data.port);
        else onOutput(`${line}\n`);
      });
    });
    stderr?.setEncoding("utf8").on("data", onOutput);
  }

  /** @throws when the process cannot be started. */
  static async start({ folder, env, onOutput }: ExecutorOptions): Promise<ExecutorProcess> {
    mkdirSync(folder, { recursive: true });
    const group = await ProcessGroup.start(process.execPath, [DAEMON], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new ExecutorProcess(group, onOutput);
  }

  get pid(): number {
    return this.#group.pid;
  }

  /** Resolves when the operating system reports the daemon's end. */
  get ended(): Promise<ProcessEnd> {
    return this.#group.ended;
  }

  get isRunning(): boolean {
    return this.#group.isRunning;
  }

  /** Makes the daemon and everything below it stand still, or go on. */
  signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#group.signalAll(signal);
  }

  /** Ends the daemon and everything below it. Resolves when none of it is left. @throws when one stays. */
  kill(): Promise<ProcessEnd> {
    return this.#group.kill();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
