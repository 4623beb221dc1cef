/** What the operating system says of processes. Linux only: elsewhere there is no /proc to read. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { identityOf, isRunning, type ProcessIdentity } from "../../scripts/base/process-identity.ts";
import { descendantsOf } from "./kit.ts";

export const hasProc = existsSync("/proc/self/stat");

const LISTENING = "0A";
const LOOK_AGAIN_MS = 50;

/** All living descendants, by more than their numbers. */
export function familyOf(pid: number): ProcessIdentity[] {
  return descendantsOf(pid).flatMap((child) => identityOf(child) ?? []);
}

/** Those of the processes that still run, each with its program. */
export function survivors(processes: readonly ProcessIdentity[]): string[] {
  return processes.filter(isRunning).map(({ pid }) => `${pid} ${programOf(pid)}`);
}

export function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** The TCP ports on which any of the processes listens. */
export function portsOf(pids: readonly number[]): number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  return listening()
    .filter(({ inode }) => sockets.has(inode))
    .map(({ port }) => port);
}

export function isListenedTo(port: number): boolean {
  return listening().some((one) => one.port === port);
}

/** Looks until it is so. A test that waits in vain fails by its own time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(LOOK_AGAIN_MS);
}

function listening(): { port: number; inode: string }[] {
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTENING)
    .map(([, address = "", , , , , , , , inode = ""]) => ({
      port: Number.parseInt(address.split(":")[1] ?? "", 16),
      inode,
    }));
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
    );
  } catch {
    return [];
  }
}
