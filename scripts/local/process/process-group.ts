/**
 * A process that leads a group of its own, with whatever it starts. Ended as a whole: the tree is walked before the kill, since
 * what it started may have left the group, and the group after it, since what is left of it may have lost its parent.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { endAtOnce, untilGone } from "../../base/end-processes.ts";
import { identityOf, isRunning, type ProcessIdentity } from "../../base/process-identity.ts";
import { descendantsOf, membersOf } from "./process-tree.ts";
import { enterScratch } from "./scratch.ts";
import type { ProcessEnd } from "./subject-process.ts";

/** How long processes that were killed may take to be gone, in ms. */
const GONE_MS = 5_000;

export class ProcessGroup {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when the operating system reports the end of the process that leads it. */
  readonly ended: Promise<ProcessEnd>;
  #isRunning = true;
  readonly #identity: ProcessIdentity | null;

  private constructor(child: ChildProcess, pid: number) {
    this.child = child;
    this.pid = pid;
    this.#identity = identityOf(pid);
    this.ended = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        this.#isRunning = false;
        resolve({ pid, exitCode, signal });
      });
    });
  }

  /** @throws when the process cannot be started. */
  static async start(program: string, args: readonly string[], options: SpawnOptions): Promise<ProcessGroup> {
    // From there on it gets a session of its own, and ends with this process.
    await enterScratch();
    const child = spawn(program, args, { ...options, detached: true });
    const { pid } = child;
    if (pid === undefined) {
      const [error] = await once(child, "error");
      throw error;
    }
    return new ProcessGroup(child, pid);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Makes all of them stand still, or go on. */
  signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
    for (const one of this.#all()) if (isRunning(one)) process.kill(one.pid, signal);
  }

  /** Ends all of them with SIGKILL. Resolves when none is left. @throws when one stays. */
  async kill(): Promise<ProcessEnd> {
    const all = this.#all();
    if (this.#isRunning) endAtOnce(-this.pid);
    for (const one of all) if (isRunning(one)) endAtOnce(one.pid);
    await untilGone(all, {
      withinMs: GONE_MS,
      complaint: `a process that ${this.pid} had started does not end`,
    });
    return this.ended;
  }

  /** The leader by its first identity: once it is gone, its number may be another process's. */
  #all(): ProcessIdentity[] {
    const descendants = this.#isRunning ? descendantsOf(this.pid) : [];
    const below = new Set([...descendants, ...membersOf(this.pid)]);
    return [this.#identity, ...[...below].map(identityOf)].filter((identity) => identity !== null);
  }
}
