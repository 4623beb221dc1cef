/** One executor: the daemon and whatever it starts, as a process group in a folder of its own. */
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { ProcessGroup } from "../process/process-group.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import type { ExecutorProgram } from "./executor-programs.ts";

type ExecutorOptions = {
  readonly program: ExecutorProgram;
  /** The container's file system: the daemon's working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
};

export class ExecutorProcess {
  /** Where the daemon listens on 127.0.0.1; never resolves when it ends before. */
  readonly port: Promise<number>;
  readonly #group: ProcessGroup;

  private constructor(group: ProcessGroup, { program, onOutput }: ExecutorOptions) {
    this.#group = group;
    const { stdout, stderr } = group.child;
    this.port = new Promise((resolve) => {
      if (stdout === null) throw new Error("the daemon has no output");
      createInterface({ input: stdout }).on("line", (line) => {
        const port = program.portIn(line);
        if (port !== undefined) resolve(port);
        else onOutput(`${line}\n`);
      });
    });
    stderr?.setEncoding("utf8").on("data", onOutput);
  }

  /** @throws when the process cannot be started. */
  static async start(options: ExecutorOptions): Promise<ExecutorProcess> {
    const { program, folder, env } = options;
    mkdirSync(folder, { recursive: true });
    const group = await ProcessGroup.start(program.file, program.args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ...program.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new ExecutorProcess(group, options);
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
