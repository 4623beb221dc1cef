/**
 * Turns a Worker's own wrangler.jsonc into what Miniflare runs: the script that `wrangler deploy` would upload, and
 * the bindings that the file declares. So what is tested locally is what would be deployed.
 *
 * Leaves to others: which ports and peers the Worker gets (local-runtime.ts), whether the SDK is installed (host-choice.ts).
 */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { applyEdits, modify } from "jsonc-parser";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { REPOSITORY } from "../../base/repository.ts";
import type { HostChoice } from "./host-choice.ts";

const run = promisify(execFile);

/** The Workers of the kit, by the role that other code names them by. */
export const WORKER_CONFIGS = {
  subject: "wrangler.jsonc",
  ledger: "ledger-worker/wrangler.jsonc",
  controller: "src/controller/wrangler.jsonc",
} as const;
export type WorkerRole = keyof typeof WORKER_CONFIGS;

type MiniflareWorkerOptions = ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"];

export type WorkerBundle = {
  readonly role: WorkerRole;
  readonly name: string;
  readonly script: string;
  readonly sha256: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Bindings and limits in Miniflare's (version 4 style) terms, without the script. */
  readonly options: MiniflareWorkerOptions;
};

/** The bundler failed: a bug in the kit or in an installed package, with the bundler's own words. */
class BundleError extends Error {
  override readonly name = "BundleError";
}

/**
 * Bundles one Worker of the checkout at `root` with `wrangler deploy --dry-run` into a folder below `workDir`.
 *
 * @throws BundleError with wrangler's output.
 */
export async function bundleWorker(
  role: WorkerRole,
  host: HostChoice,
  workDir: string,
  root = REPOSITORY,
): Promise<WorkerBundle> {
  const config = join(root, WORKER_CONFIGS[role]);
  const used = role === "subject" && host.kind === "sdk" ? await configWithoutAliases(config) : config;
  const outdir = join(workDir, role);
  const args = [join(REPOSITORY, "node_modules/wrangler/bin/wrangler.js"), "deploy", "--dry-run"];
  args.push("--config", used, "--outdir", outdir);
  if (role === "subject" && host.kind === "sdk")
    args.push("--define", `__OPENCODE_SDK_VERSION__:${JSON.stringify(host.version)}`);
  if (role === "subject")
    for (const [name, file] of Object.entries(host.aliases ?? {})) args.push("--alias", `${name}:${file}`);
  try {
    await run(process.execPath, args, {
      cwd: root,
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_LOG_PATH: join(workDir, "logs"),
        NO_COLOR: "1",
      },
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    throw new BundleError(`bundling the ${role} Worker failed:\n${outputOf(error)}`);
  } finally {
    if (used !== config) await rm(used, { force: true });
  }
  const script = await readFile(join(outdir, "index.js"), "utf8");
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const { compatibility_date, compatibility_flags, name } = unstable_readConfig({ config });
  return {
    role,
    name: name ?? role,
    script,
    sha256: createHash("sha256").update(script).digest("hex"),
    compatibilityDate: compatibility_date ?? "",
    compatibilityFlags: compatibility_flags,
    options: workerOptions,
  };
}

/**
 * A copy of the subject's configuration in which the two OpenCode names are left to ordinary resolution. It lies
 * beside the original, because paths in it are relative to it.
 */
async function configWithoutAliases(config: string): Promise<string> {
  const text = await readFile(config, "utf8");
  const copy = join(dirname(config), `.wrangler.sdk.${process.pid}.jsonc`);
  await writeFile(copy, applyEdits(text, modify(text, ["alias"], undefined, {})));
  return copy;
}

function outputOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message?: string };
  return (
    [stderr, stdout].filter((text) => text !== undefined && text !== "").join("\n") ||
    (message ?? "no output")
  );
}
