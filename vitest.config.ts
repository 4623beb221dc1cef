import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,scripts,experiments,ledger-worker,tests}/**/*.test.ts"],
    // Suites that start real processes share two cores: one file at a time keeps them honest.
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
