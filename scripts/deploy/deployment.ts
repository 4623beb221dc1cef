/**
 * A deployment: its name, which begins the name of everything that belongs to it, and its folder, in which everything
 * about it lies. Leaves to others what is written there (deploy-state.ts).
 */
import { readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { WORKPLACE } from "../base/repository.ts";
import type { WorkerRole } from "../local/workerd/bundle.ts";

/** Short, since the names of Workers begin with it; never the prefix of what a user may have deployed by hand. */
export const Prefix = z
  .string()
  .regex(/^[a-z][a-z0-9-]{2,29}[a-z0-9]$/, "give 4 to 31 characters of a-z, 0-9 and '-', a letter first")
  .refine(
    (prefix) => prefix !== "recovery-kit",
    "'recovery-kit' begins the names in the wrangler files; give one that can be thrown away",
  );
export type Prefix = z.infer<typeof Prefix>;

export const DEFAULT_PREFIX = "rkit-trial";

export type Deployment = {
  readonly prefix: Prefix;
  /** Only the user's; it is removed by `down`. */
  readonly folder: string;
};

/** In the order in which they can be made: each binds those before it. */
export const ROLES = ["ledger", "subject", "controller"] as const satisfies readonly WorkerRole[];
/** The gate is none of them: it stands in a local process, before an agent's own Worker. */
export type DeployedRole = (typeof ROLES)[number];

/** Holds a folder for each deployment, and the locks beside them. */
export function deploymentsFolder(root = WORKPLACE): string {
  return join(root, ".recovery-kit", "deploy");
}

export function deploymentOf(prefix: Prefix, parent = deploymentsFolder()): Deployment {
  return { prefix, folder: join(parent, prefix) };
}

export function workerName({ prefix }: Pick<Deployment, "prefix">, role: DeployedRole): string {
  return `${prefix}-${role}`;
}

export function workflowName({ prefix }: Pick<Deployment, "prefix">): string {
  return `${prefix}-workflow`;
}

/** Prefixes of which something lies here. */
export function knownPrefixes(parent = deploymentsFolder()): Prefix[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && Prefix.safeParse(entry.name).success)
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}

/** Takes away the folders that held deployments, when they hold nothing any more. */
export function removeEmptyParents(parent = deploymentsFolder()): void {
  for (const folder of [parent, join(parent, "..")])
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
}
