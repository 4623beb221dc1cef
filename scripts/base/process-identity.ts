/**
 * Which process a number meant. The system gives the numbers of ended processes to new ones, so the moment at which a
 * process started goes with its number wherever that is kept.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

/** `startedAt` is in the words of the system, and only compared. */
export const ProcessIdentity = z.object({ pid: z.number().int().positive(), startedAt: z.string().min(1) });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

const PROCESSES = "/proc";

/** Null when there is no such process, or only its exit code is left of it. */
export function identityOf(pid: number): ProcessIdentity | null {
  const startedAt = existsSync(`${PROCESSES}/self/stat`) ? startInProc(pid) : startByPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(process: ProcessIdentity): boolean {
  return identityOf(process.pid)?.startedAt === process.startedAt;
}

/** Linux: ticks since the boot, which is named too. */
function startInProc(pid: number): string | null {
  try {
    // The command, in parentheses, may hold spaces and parentheses; the fields behind it count from the third.
    const fields = readFileSync(`${PROCESSES}/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    // While other threads of it are about to end, its ports are still taken.
    if (fields[0] === "Z" && Number(fields[20 - 3]) <= 1) return null;
    const boot = readFileSync(`${PROCESSES}/sys/kernel/random/boot_id`, "utf8").trim();
    return `${boot}:${fields[22 - 3]}`;
  } catch {
    return null;
  }
}

/** Elsewhere `ps` tells, to the second. */
function startByPs(pid: number): string | null {
  try {
    const told = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [state = "", ...start] = told.trim().split(/\s+/);
    return state === "" || state.startsWith("Z") ? null : start.join(" ");
  } catch {
    return null;
  }
}
