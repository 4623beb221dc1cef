/**
 * Writes what is deployed: for each Worker the frozen script, and for each build of it a folder with the script and the
 * configuration made for it. The build before may still run from its own folder: a rehearsal would take new code in that at once.
 */
import { mkdirSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY } from "../base/repository.ts";
import { WORKER_CONFIGS } from "../local/workerd/bundle.ts";
import { type DeployedRole, type Deployment, workerName } from "./deployment.ts";
import type { PlacedWorker } from "./platform.ts";
import { type ConfigOptions, configOf } from "./worker-config.ts";

export type PlaceOptions = Omit<ConfigOptions, "deployment" | "build"> & {
  /** How often the code was put there, this time included. */
  readonly builds: number;
};

export async function placeWorker(
  deployment: Deployment,
  { role, script }: { readonly role: DeployedRole; readonly script: string },
  { builds, ...options }: PlaceOptions,
): Promise<PlacedWorker> {
  const build = buildName(builds);
  const folder = join(workerFolder(deployment, role), build);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Nothing runs from it any more.
  rmSync(join(workerFolder(deployment, role), buildName(builds - 2)), { recursive: true, force: true });
  const source = await readFile(join(REPOSITORY, WORKER_CONFIGS[role]), "utf8");
  const config = configOf(role, source, { ...options, deployment, build });
  await writeFile(join(workerFolder(deployment, role), FROZEN_FILE), script);
  // The subject's next version has to be other code: a line at its end makes it that, and changes nothing else.
  await writeFile(join(folder, "index.js"), role === "subject" ? `${script}\n// ${build}\n` : script);
  const path = join(folder, "wrangler.json");
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`);
  return { role, name: workerName(deployment, role), config: path, build };
}

/** The same script once more, as another build. */
export async function placeAgain(
  deployment: Deployment,
  role: DeployedRole,
  options: PlaceOptions,
): Promise<PlacedWorker> {
  const script = await readFile(join(workerFolder(deployment, role), FROZEN_FILE), "utf8");
  return placeWorker(deployment, { role, script }, options);
}

/** The script as it was bundled. It has another ending, so that nobody takes it for a part of the Worker. */
const FROZEN_FILE = "index.js.frozen";

function buildName(builds: number): string {
  return `build-${builds}`;
}

function workerFolder({ folder }: Deployment, role: DeployedRole): string {
  return join(folder, "workers", role);
}
