/**
 * Bundles one Worker with wrangler, from its own wrangler.jsonc. It takes seconds and much memory, so a process of its
 * own does it (bundle-child.ts).
 */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { applyEdits, modify } from "jsonc-parser";
import { z } from "zod";
import { sha256Of, WORKER_CONFIGS, type WorkerRole } from "./bundle.ts";
import { DESCRIBE_VARIABLE, Described, type DescribeRequest, type MadeBundle } from "./bundle-protocol.ts";
import { type HostChoice, installedVersion } from "./host-choice.ts";

const DESCRIBER = fileURLToPath(new URL("./describe-worker.ts", import.meta.url));

const run = promisify(execFile);

/**
 * What `bin/wrangler.js` starts, of the checkout that is bundled. Started without it, the one process that is to be ended is
 * the one that works.
 */
function wranglerOf(root: string): string {
  try {
    return createRequire(join(root, "package.json")).resolve("wrangler");
  } catch {
    return createRequire(import.meta.url).resolve("wrangler");
  }
}

/** esbuild's account of what went in. */
const Metafile = z.object({ inputs: z.record(z.string(), z.unknown()) });
/** Inputs that the bundler made up, such as `node-built-in-modules:…`, have no file. */
const MADE_UP = /^[a-z][a-z0-9-]+:/;

type MakeOptions = {
  readonly host: HostChoice;
  /** The checkout to bundle from. */
  readonly root: string;
  readonly compatibilityDate: string | null;
  /** wrangler's output goes into folders below. */
  readonly workDir: string;
  readonly signal: AbortSignal;
};

/** The bundler failed: a bug in the kit or in an installed package, with the bundler's own words. */
class BundleError extends Error {
  override readonly name = "BundleError";
}

/** @throws BundleError with wrangler's output. */
export async function makeBundle(
  role: WorkerRole,
  { host, root, compatibilityDate, workDir, signal }: MakeOptions,
): Promise<MadeBundle> {
  const config = join(root, WORKER_CONFIGS[role]);
  const used = role === "subject" && host.kind === "sdk" ? await configWithoutAliases(config) : config;
  const outdir = join(workDir, role);
  const metafile = join(workDir, `${role}.inputs.json`);
  const request: DescribeRequest = { config, answer: join(workDir, `${role}.described.json`) };
  const args = ["--no-warnings", "--require", DESCRIBER, wranglerOf(root), "deploy", "--dry-run"];
  args.push("--config", used, "--outdir", outdir, "--metafile", metafile);
  if (compatibilityDate !== null) args.push("--compatibility-date", compatibilityDate);
  if (role === "subject")
    args.push(
      "--define",
      `__AGENTS_VERSION__:${JSON.stringify(installedVersion("agents", root) ?? "unknown")}`,
    );
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
        [DESCRIBE_VARIABLE]: JSON.stringify(request),
      },
      maxBuffer: 16 * 1024 * 1024,
      signal,
    });
  } catch (error) {
    throw new BundleError(`bundling the ${role} Worker failed:\n${outputOf(error)}`);
  } finally {
    if (used !== config) rmSync(used, { force: true });
  }
  const script = await readFile(join(outdir, "index.js"), "utf8");
  const { inputs } = Metafile.parse(JSON.parse(await readFile(metafile, "utf8")));
  const described = Described.parse(JSON.parse(await readFile(request.answer, "utf8")));
  const { options } = described;
  return {
    bundle: {
      role,
      name: described.name ?? role,
      script,
      sha256: sha256Of(script),
      compatibilityDate: compatibilityDate ?? described.compatibilityDate ?? "",
      compatibilityFlags: described.compatibilityFlags,
      options: compatibilityDate === null ? options : { ...options, compatibilityDate },
    },
    // Relative to the folder that wrangler.jsonc lies in.
    inputs: Object.keys(inputs)
      .filter((input) => !MADE_UP.test(input))
      .map((input) => resolve(dirname(config), input)),
  };
}

/**
 * A copy of the subject's configuration in which the two OpenCode names are left to ordinary resolution. It lies
 * beside the original, because paths in it are relative to it.
 */
async function configWithoutAliases(config: string): Promise<string> {
  const text = await readFile(config, "utf8");
  const copy = join(dirname(config), `.wrangler.sdk.${process.pid}.jsonc`);
  // Also when this process is ended while it bundles.
  process.once("exit", () => rmSync(copy, { force: true }));
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
