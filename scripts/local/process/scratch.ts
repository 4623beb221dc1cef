/**
 * One temporary folder for everything that this process and those it starts put aside, so that all of it goes together.
 * While the folder is there, every process started from here is entered in it, and gets a session of its own: a
 * terminal's Ctrl-C goes to this process alone, which then ends the others in order.
 *
 * A keeper, a process that waits for the end of this one, ends what is left of them and removes the folder, whatever this
 * one died of. Leaves to leftovers.ts what is left when the keeper died too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { appendFileSync, existsSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { takeLock } from "../../base/file-lock.ts";
import { identityOf } from "../../base/process-identity.ts";
import { FOLDERS_FILE, LOCK_FILE, PROCESSES_FILE, SCRATCH_PREFIX } from "./scratch-folder.ts";

type Scratch = { readonly folder: string; readonly keeper: ChildProcess };

/** What is passed on when a process is about to be started; what is changed in `options` counts. */
type Starting = { readonly process: ChildProcess; readonly options: { detached: boolean } };

const KEEPER = fileURLToPath(new URL("keeper.ts", import.meta.url));
/** How long the keeper may take with what is left when this process ends in order. */
const FAREWELL_MS = 10_000;

let scratch: Promise<Scratch> | undefined;
/** From when on nothing is to be started any more. */
let isLeaving = false;

/** The folder of this process, from now on also what `tmpdir()` answers here and in the processes it starts. */
export async function enterScratch(): Promise<string> {
  scratch ??= makeScratch();
  return (await scratch).folder;
}

/** Ends every process that was started from here and removes the folder. Resolves when that is done. */
export async function leaveScratch(): Promise<void> {
  if (scratch === undefined) return;
  const { keeper } = await scratch;
  isLeaving = true;
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  keeper.ref();
  const ended = once(keeper, "exit");
  keeper.stdin?.end();
  await Promise.race([ended, delay(FAREWELL_MS, undefined, { ref: false })]);
}

/** Has a folder that was made elsewhere go with this process's own. Nothing where there is none. */
export async function enterFolder(path: string): Promise<void> {
  if (scratch === undefined) return;
  const { folder } = await scratch;
  appendFileSync(join(folder, FOLDERS_FILE), `${JSON.stringify(path)}\n`);
}

/** Takes a folder out of what goes with this process, since somebody is to look into it. Resolves with its new place. */
export async function keepFolder(path: string): Promise<string> {
  const own = scratch === undefined ? null : (await scratch).folder;
  const parent = own !== null && dirname(path) === own ? dirname(own) : dirname(path);
  const kept = join(parent, `kept-${basename(path)}`);
  await rename(path, kept);
  return kept;
}

async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), SCRATCH_PREFIX));
  const taken = await takeLock(join(folder, LOCK_FILE)).catch((error: unknown) => {
    if (existsSync(folder)) throw error;
    return null;
  });
  // Before it was locked, another command took it for a leftover.
  if (taken === null || "owner" in taken) return makeScratch();
  const keeper = spawn(process.execPath, [KEEPER, folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // It waits for the end of its input, which comes with the end of this process and must not put that off.
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  keeper.stdin?.on("error", () => undefined);
  process.env.TMPDIR = folder;
  subscribe("tracing:child_process.spawn:start", (message) => {
    if (!isStarting(message)) return;
    const { process: child, options } = message;
    options.detached = true;
    child.once("spawn", () => {
      if (isLeaving) child.kill("SIGKILL");
      else enter(folder, child.pid);
    });
  });
  return { folder, keeper };
}

function enter(folder: string, pid: number | undefined): void {
  const identity = pid === undefined ? null : identityOf(pid);
  if (identity !== null) appendFileSync(join(folder, PROCESSES_FILE), `${JSON.stringify(identity)}\n`);
}

function isStarting(message: unknown): message is Starting {
  return typeof message === "object" && message !== null && "process" in message && "options" in message;
}
