import { defineConfig } from "vitest/config";

/** Many real `wrangler dev` processes, which take minutes: never part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/deployed/*.deployed.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
