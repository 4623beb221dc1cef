/**
 * One executor: the daemon and whatever it starts, as a process group in a folder of its own. Ended as a whole: the tree is
 * walked before the kill, since a tool may have left the group.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { endAtOnce, untilGone } from "../../base/end-processes.ts";
import { identityOf, isRunning, type ProcessIdentity } from "../../base/process-identity.ts";
import { descendantsOf } from "../process/process-tree.ts";
import { enterScratch } from "../process/scratch.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import type { ExecutorProgram } from "./executor-programs.ts";

/** How long processes that were killed may take to be gone, in ms. */
const GONE_MS = 5_000;

type ExecutorOptions = {
  readonly program: ExecutorProgram;
  /** The container's file system: the daemon's working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
};

export class ExecutorProcess {
  readonly pid: number;
  /** Where the daemon listens on 127.0.0.1; never resolves when it ends before. */
  readonly port: Promise<number>;
  /** Resolves when the operating system reports the daemon's end. */
  readonly ended: Promise<ProcessEnd>;
  #isRunning = true;
  readonly #identity: ProcessIdentity | null;

  private constructor(child: ChildProcess, pid: number, { program, onOutput }: ExecutorOptions) {
    this.pid = pid;
    this.#identity = identityOf(pid);
    this.ended = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#isRunning = false;
        resolve({ pid, exitCode, signal });
      });
    });
    this.port = new Promise((resolve) => {
      if (child.stdout === null) throw new Error("the daemon has no output");
      createInterface({ input: child.stdout }).on("line", (line) => {
        const port = program.portIn(line);
        if (port !== undefined) resolve(port);
        else onOutput(`${line}\n`);
      });
    });
    child.stderr?.setEncoding("utf8").on("data", onOutput);
  }

  /** @throws when the process cannot be started. */
  static async start(options: ExecutorOptions): Promise<ExecutorProcess> {
    const { program, folder, env } = options;
    // From there on it gets a session of its own, and ends with this process.
    await enterScratch();
    mkdirSync(folder, { recursive: true });
    const child = spawn(program.file, program.args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ...program.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const { pid } = child;
    if (pid === undefined) {
      const [error] = await once(child, "error");
      throw error;
    }
    return new ExecutorProcess(child, pid, options);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Makes the daemon and everything below it stand still, or go on. */
  signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
    const all = [this.#identity, ...descendantsOf(this.pid).map(identityOf)];
    for (const one of all) if (one !== null && isRunning(one)) process.kill(one.pid, signal);
  }

  /** Ends the daemon and everything below it with SIGKILL. Resolves when none of it is left. @throws when one stays. */
  async kill(): Promise<ProcessEnd> {
    const tree = descendantsOf(this.pid)
      .map(identityOf)
      .filter((identity) => identity !== null);
    const all = this.#identity === null ? tree : [this.#identity, ...tree];
    if (this.#isRunning) endAtOnce(-this.pid);
    for (const one of all) if (isRunning(one)) endAtOnce(one.pid);
    await untilGone(all, {
      withinMs: GONE_MS,
      complaint: `a process of the executor ${this.pid} does not end`,
    });
    return this.ended;
  }
}
