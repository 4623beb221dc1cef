/**
 * The bundles of the Workers: those that were kept when their sources are as they were, and the others from a process
 * that bundles. wrangler is loaded in that process alone: it takes seconds to load, and more memory than a run.
 */
import { fork } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { getCompileCacheDir } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../base/cache-folder.ts";
import { endAtOnce } from "../../base/end-processes.ts";
import { REPOSITORY } from "../../base/repository.ts";
import type { WorkerBundle, WorkerRole } from "./bundle.ts";
import { BundleCache } from "./bundle-cache.ts";
import { BundleAnswer, type BundleRequest, type MadeBundle } from "./bundle-protocol.ts";
import type { HostChoice } from "./host-choice.ts";

const CHILD = fileURLToPath(new URL("./bundle-child.ts", import.meta.url));
/** How long the bundler is given to end by itself. */
const END_WITHIN_MS = 1_000;

type GetOptions = {
  readonly host: HostChoice;
  /** For the bundler's output, which is not needed any more afterwards. */
  readonly workDir: string;
  /** Where bundles are kept between runs; null keeps none. */
  readonly cacheFolder: string | null;
  /** Told before the bundler is started. */
  readonly onBundling?: ((roles: readonly WorkerRole[]) => void) | undefined;
  /** Ends the bundler. */
  readonly signal?: AbortSignal | undefined;
  /** The checkout to bundle from, where it is not this one. */
  readonly root?: string;
  /** In place of that of the Workers' configurations. */
  readonly compatibilityDate?: string | null;
};

export function bundleCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return cacheFolder("bundles", env);
}

/** @returns One bundle for each role. @throws with the bundler's own words when it fails. */
export async function getBundles<Role extends WorkerRole>(
  roles: readonly Role[],
  { host, workDir, cacheFolder, onBundling, signal, root = REPOSITORY, compatibilityDate = null }: GetOptions,
): Promise<Record<Role, WorkerBundle>> {
  const cache = cacheFolder === null ? null : new BundleCache(cacheFolder);
  const source = (role: WorkerRole) => ({ role, host, root, compatibilityDate });
  const bundles = new Map<WorkerRole, WorkerBundle>();
  for (const role of roles) {
    const kept = cache?.find(source(role));
    if (kept != null) bundles.set(role, kept);
  }
  const missing = roles.filter((role) => !bundles.has(role));
  if (missing.length > 0) {
    onBundling?.(missing);
    const startedAt = Date.now();
    for (const made of await makeBundles(
      { roles: missing, host, root, compatibilityDate, workDir },
      signal,
    )) {
      bundles.set(made.bundle.role, made.bundle);
      cache?.keep(source(made.bundle.role), made, startedAt);
    }
  }
  const entries = roles.map((role) => {
    const bundle = bundles.get(role);
    if (bundle === undefined) throw new Error(`the bundle of the ${role} Worker is missing`);
    return [role, bundle] as const;
  });
  return Object.fromEntries(entries) as Record<Role, WorkerBundle>;
}

async function makeBundles(request: BundleRequest, signal?: AbortSignal): Promise<MadeBundle[]> {
  await mkdir(request.workDir, { recursive: true });
  try {
    const answer = await askChild(request, signal);
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.made;
  } finally {
    await rm(request.workDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Resolves once the process is over, so that nothing of it is left when its folder is removed. */
function askChild(request: BundleRequest, signal?: AbortSignal): Promise<BundleAnswer> {
  return new Promise((resolve, reject) => {
    // In a group of its own: a terminal's Ctrl-C reaches this process, which ends that one in order.
    const child = fork(CHILD, [], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [],
      env: { NODE_COMPILE_CACHE: compileCacheFolder(), ...process.env },
    });
    let stopped: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill("SIGTERM");
      // Its group with it: what it started keeps the output open, and with that this command.
      stopped = setTimeout(() => {
        child.kill("SIGKILL");
        if (child.pid !== undefined) endAtOnce(-child.pid);
      }, END_WITHIN_MS);
    };
    signal?.addEventListener("abort", stop, { once: true });
    let answer: unknown;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.on("message", (message) => {
      answer = message;
    });
    child.on("error", reject);
    child.on("close", (code, killedBy) => {
      signal?.removeEventListener("abort", stop);
      clearTimeout(stopped);
      if (signal?.aborted === true) reject(signal.reason);
      else if (answer === undefined)
        reject(
          new Error(`the process that bundles ended (${killedBy ?? code}) without an answer:\n${output}`),
        );
      else resolve(BundleAnswer.parse(answer));
    });
    if (signal?.aborted === true) stop();
    child.send(request);
  });
}

/** wrangler is 15 MB of JavaScript, and several processes load it. This command's own folder goes with it; the cache is to stay. */
function compileCacheFolder(): string {
  // Node keeps that of each of its versions in a folder below the one that it is given.
  const own = getCompileCacheDir();
  return own === undefined ? join(tmpdir(), "node-compile-cache") : dirname(own);
}
