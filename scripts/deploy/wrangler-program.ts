/** The wrangler that is installed here, and the surroundings in which the kit starts it. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** What `bin/wrangler.js` starts: without it there is one process less, and the one that is ended is the one that works. */
export const WRANGLER_PROGRAM: readonly [string, ...string[]] = [
  process.execPath,
  "--no-warnings",
  createRequire(import.meta.url).resolve("wrangler"),
];

/** `folder`: where wrangler may write. It asks nobody, reports nothing to anybody, and writes no colours. */
export function wranglerEnvironment(folder: string): Record<string, string> {
  return {
    CI: "true",
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(folder, "logs"),
    TMPDIR: join(folder, "tmp"),
  };
}
