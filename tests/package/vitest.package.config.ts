import { defineConfig } from "vitest/config";

/** The package in a folder of its own, as a user has it: npm installs some 220 packages, so never part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/package/*.package.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // As for every other test: nothing is mocked or transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
