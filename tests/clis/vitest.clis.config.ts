import { defineConfig } from "vitest/config";

/** The real agent CLIs: installed on first use (424 and 384 MB), so never part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/clis/*.clis.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    // A first run installs the CLIs.
    hookTimeout: 1_200_000,
    // As for every other test: nothing is mocked or transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
