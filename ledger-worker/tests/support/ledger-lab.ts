/**
 * Starts the real ledger Worker in workerd, built from its own wrangler.jsonc, over a folder that survives a restart.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

export const SECRET = "test-secret-of-the-ledger";
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** As in wrangler.jsonc; `configuration.test.ts` compares. */
export const COMPATIBILITY = {
  compatibilityDate: "2026-11-01",
  compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
};

let bundle: Promise<string> | undefined;

/** The Worker's bundle, built once for each test file. */
export function bundleLedger(): Promise<string> {
  bundle ??= build({
    entryPoints: [join(ROOT, "src/index.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
  }).then(({ outputFiles }) => outputFiles[0]!.text);
  return bundle;
}

export type Lab = {
  readonly url: URL;
  readonly folder: string;
  /** Ends workerd; what it stored stays in the folder. */
  stop(): Promise<void>;
  /** Starts workerd again on the same folder; the address changes. */
  start(): Promise<void>;
  dispose(): Promise<void>;
};

/** `secret: undefined` deploys without one. */
export async function startLab(options: { secret?: string | undefined } = { secret: SECRET }): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), "recovery-kit-ledger-"));
  const script = await bundleLedger();
  const start = () =>
    new Miniflare({
      ...convertV4MiniflareOptions({
        host: "127.0.0.1",
        log: new Log(LogLevel.ERROR),
        workers: [
          {
            name: "recovery-kit-ledger",
            modules: true,
            script,
            ...COMPATIBILITY,
            bindings: options.secret === undefined ? {} : { KIT_SECRET: options.secret },
            durableObjects: {
              TRIAL_LEDGER: { className: "TrialLedger", useSQLite: true },
              RUNNER_BOARD: { className: "RunnerBoard", useSQLite: true },
            },
          },
        ],
      }),
      resourcePersistencePath: folder,
    });
  let miniflare = start();
  let url = await miniflare.ready;
  return {
    get url() {
      return url;
    },
    folder,
    stop: () => miniflare.dispose(),
    async start() {
      miniflare = start();
      url = await miniflare.ready;
    },
    async dispose() {
      await miniflare.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
