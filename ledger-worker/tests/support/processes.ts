/** The workerd processes that this test process started, and the death of one of them. Linux only, through /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** Process ids of the workerd children of this process. */
export function workerdChildren(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = statusOf(pid);
      return status?.name === "workerd" && status.parent === process.pid && status.state !== "Z";
    });
}

/** Kills one workerd with SIGKILL and waits until it is gone. */
export async function killWorkerd(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  while (workerdChildren().includes(pid)) await new Promise((resolve) => setImmediate(resolve));
}

function statusOf(pid: number): { name: string; parent: number; state: string } | undefined {
  try {
    // pid (name) state parent …
    const match = /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return match === null ? undefined : { name: match[1]!, state: match[2]!, parent: Number(match[3]) };
  } catch {
    return undefined;
  }
}
