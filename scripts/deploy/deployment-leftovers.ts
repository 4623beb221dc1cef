/**
 * Deployments of which something lies or runs here, for whoever looks at the machine: in use, or left by a command that was
 * killed. Only reads.
 */
import { basename, dirname } from "node:path";
import { lockOwner } from "../base/file-lock.ts";
import { type DeployState, lockPath, readState } from "./deploy-state.ts";
import { deployedFolders, processesOf } from "./deployed-processes.ts";
import { type Deployment, deploymentOf, deploymentsFolder, knownPrefixes, Prefix } from "./deployment.ts";

export type FoundDeployment = {
  readonly prefix: Prefix;
  /** What is wrong with it, in words; null when it is in use. */
  readonly leftover: string | null;
  /** Of this machine. */
  readonly pids: readonly number[];
};

/** Those with a folder in `parent`, and those that only processes are left of. */
export function findDeployments(parent = deploymentsFolder()): FoundDeployment[] {
  const running = deployedFolders()
    .filter((folder) => dirname(folder) === parent)
    .flatMap((folder) => Prefix.safeParse(basename(folder)).data ?? []);
  return [...new Set([...knownPrefixes(parent), ...running])].toSorted().map((prefix) => {
    const deployment = deploymentOf(prefix, parent);
    const pids = processesOf(deployment.folder).map(({ pid }) => pid);
    return { prefix, leftover: whatIsWrong(deployment, pids.length), pids };
  });
}

function whatIsWrong(deployment: Deployment, running: number): string | null {
  if (lockOwner(lockPath(deployment)) !== null) return null;
  let state: DeployState | null;
  try {
    state = readState(deployment);
  } catch {
    return "its state cannot be read";
  }
  if (state === null) return "without a state";
  if (state.stage !== "ready") return `'up' ended at: ${state.stage}`;
  return state.kind === "rehearsal" && running === 0 ? "its processes are gone" : null;
}
