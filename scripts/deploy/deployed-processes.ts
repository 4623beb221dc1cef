/**
 * Processes of this machine that belong to a deployment and outlive the command that started them. They carry the
 * deployment's folder in their environment, so that all of them are found whatever the command died of, their own children
 * included; where the system does not show environments, those that were entered in the folder are.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { endAtOnce, untilGone } from "../base/end-processes.ts";
import { identityOf, isRunning, ProcessIdentity } from "../base/process-identity.ts";

/** Names the folder in the environment of all processes of a deployment. */
export const FOLDER_VARIABLE = "RECOVERY_KIT_DEPLOYMENT";
const ENTERED_FILE = "processes.jsonl";

const LAUNCHER = fileURLToPath(new URL("launcher.ts", import.meta.url));
const PROCESSES = "/proc";
/** How long processes that were killed may take to be gone. */
const GONE_MS = 10_000;
const LOOK_AGAIN_MS = 20;

const Entered = z.object({ role: z.string(), ...ProcessIdentity.shape });
type Entered = z.infer<typeof Entered>;

/** What the launcher is told. */
export const LaunchOrder = z.strictObject({
  role: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  log: z.string(),
  entered: z.string(),
});
type LaunchOrder = z.infer<typeof LaunchOrder>;

/**
 * Starts a process that stays when this one ends, in a session of its own. A launcher starts it, so that it belongs to no
 * command's scratch folder, and enters it before it is gone itself. Returns its id.
 */
export function startStaying(
  folder: string,
  order: Omit<LaunchOrder, "entered">,
  env: NodeJS.ProcessEnv,
): number {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--no-warnings", LAUNCHER, JSON.stringify({ ...order, entered: join(folder, ENTERED_FILE) })],
    { env: { ...env, [FOLDER_VARIABLE]: folder }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  const pid = Number(stdout.trim());
  if (status !== 0 || !Number.isInteger(pid) || pid <= 0)
    throw new Error(`a process of the deployment could not be started: ${stderr.slice(-2_000)}`);
  return pid;
}

/** The process that was started last for a role; null when it does not run. */
export function enteredProcess(folder: string, role: string): ProcessIdentity | null {
  const last = enteredIn(folder).findLast((entered) => entered.role === role);
  return last !== undefined && isRunning(last) ? { pid: last.pid, startedAt: last.startedAt } : null;
}

/** Everything that runs for the deployment. */
export function processesOf(folder: string): ProcessIdentity[] {
  const marked = markedWith(folder);
  const known = new Set(marked.map(({ pid }) => pid));
  const entered = enteredIn(folder).filter((one) => isRunning(one) && !known.has(one.pid));
  return [...marked, ...entered];
}

/** Ends one process of the deployment with all of its group, at once. Resolves when they are gone. */
export async function endGroup(folder: string, leader: ProcessIdentity): Promise<void> {
  const members = processesOf(folder).filter(({ pid }) => pid === leader.pid || groupOf(pid) === leader.pid);
  endAtOnce(-leader.pid);
  await untilGone([leader, ...members], {
    withinMs: GONE_MS,
    complaint: "a process of the deployment does not end",
  });
}

/** Ends everything that runs for the deployment. Resolves with how many that were. @throws when something stays. */
export async function endAll(folder: string): Promise<number> {
  const deadline = Date.now() + GONE_MS;
  const ended = new Map<number, ProcessIdentity>();
  for (;;) {
    // Again and again: one of them may have been about to start another one.
    const running = processesOf(folder);
    if (running.length === 0) break;
    if (Date.now() > deadline)
      throw new Error(`processes ${running.map(({ pid }) => pid).join(", ")} do not end`);
    for (const one of running) {
      const { pid } = one;
      ended.set(pid, one);
      // Whoever leads a group takes it along; the others have been found themselves.
      if (groupOf(pid) === pid) endAtOnce(-pid);
      endAtOnce(pid);
    }
    await delay(LOOK_AGAIN_MS);
  }
  // One that is about to end has no environment any more to find it by, and still has its ports.
  await untilGone([...ended.values()], {
    withinMs: GONE_MS,
    complaint: "a process of the deployment does not end",
  });
  return ended.size;
}

function enteredIn(folder: string): Entered[] {
  const path = join(folder, ENTERED_FILE);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").flatMap(enteredLine);
}

function enteredLine(line: string): Entered[] {
  try {
    return [Entered.parse(JSON.parse(line))];
  } catch {
    // The last line, cut off when its writer was killed.
    return [];
  }
}

/** Folders of all deployments that something runs for, whether or not they are there. None where that cannot be told. */
export function deployedFolders(): string[] {
  return [...new Set(marked().map(({ folder }) => folder))].toSorted();
}

function markedWith(folder: string): ProcessIdentity[] {
  return marked().flatMap((one) => (one.folder === folder ? (identityOf(one.pid) ?? []) : []));
}

/** By their environment, which Linux shows to their owner. None elsewhere. */
function marked(): { readonly pid: number; readonly folder: string }[] {
  if (!existsSync(`${PROCESSES}/self/environ`)) return [];
  const mark = `${FOLDER_VARIABLE}=`;
  return readdirSync(PROCESSES)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const variables = readFileSync(`${PROCESSES}/${name}/environ`, "utf8").split("\0");
        const found = variables.find((variable) => variable.startsWith(mark));
        return found === undefined ? [] : [{ pid: Number(name), folder: found.slice(mark.length) }];
      } catch {
        // It ended meanwhile, or is somebody else's.
        return [];
      }
    });
}

/** Null where it cannot be told. */
function groupOf(pid: number): number | null {
  try {
    const fields = readFileSync(`${PROCESSES}/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[2]);
  } catch {
    // Without /proc only leaders are known, which were entered.
    return existsSync(`${PROCESSES}/self/stat`) ? null : pid;
  }
}
