import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * For every process that the tests start, those included that have a temporary folder of their own: without it each
 * compiles the kit anew, which is half of a command's start. It is where the kit keeps it by itself.
 */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");

const WAITS = "**/*.waits.test.ts";

/**
 * Two kinds of files, which `npm test` runs side by side (tests/side-by-side.ts). A file says by its name that it mostly waits, for
 * heartbeats and alarms of a real runtime: many of those fit beside the computing ones, of which each keeps a core busy.
 * No test asserts a time.
 */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "waits",
          include: [`{src,scripts,experiments,ledger-worker,tests}/${WAITS}`],
          maxWorkers: 6,
          globalSetup: "tests/support/bundle-once.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "computes",
          include: ["{src,scripts,experiments,ledger-worker,tests}/**/*.test.ts"],
          exclude: [WAITS],
          maxWorkers: 2,
          // Files share a worker, so that it loads the kit and Miniflare once. Each cleans up what it started.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Node loads the kit as it does for a user: nothing here is mocked or transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
