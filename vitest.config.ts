import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,scripts,experiments,ledger-worker,tests}/**/*.test.ts"],
    // Half of the files wait for heartbeats, the others compute: two at a time fill two cores. No test asserts a time.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
