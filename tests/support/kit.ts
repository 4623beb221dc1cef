/** Runs the real command line as a child process, as a user's shell would. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { REPOSITORY } from "../../scripts/base/repository.ts";

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type RunningKit = {
  readonly child: ChildProcess;
  /** Resolves when the text has been written to stderr; rejects when the process ends without it. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<Ended>;
};

export function startKit(
  args: readonly string[],
  { node = process.execPath, env = {} }: { node?: string | undefined; env?: NodeJS.ProcessEnv } = {},
): RunningKit {
  const child = spawn(node, [KIT, ...args], {
    cwd: REPOSITORY,
    env: kitEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const look of watchers) look();
    });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!output.stderr.includes(text)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      void ended.then(({ stderr }) => reject(new Error(`ended without saying '${text}':\n${stderr}`)));
    });
  return { child, says, ended };
}

/** The program, as a user names it in the repository. */
export const KIT = "scripts/recovery-kit.mjs";

/** As a user's shell has it: colours are the terminal's affair. */
export function kitEnvironment(changed: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...env } = process.env;
  return { ...env, ...changed };
}

export function kit(...args: string[]): Promise<Ended> {
  return startKit(args).ended;
}

/** All living descendants of a process. Linux only: elsewhere there is no /proc to read. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The command, in parentheses, may hold spaces; the parent is the second field after it.
      const [, ppid] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      parents.set(Number(name), Number(ppid));
    } catch {
      // It ended while we looked.
    }
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found.slice(1);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
