import { defineConfig } from "vitest/config";

/** The real OpenCode server: installed on first use (185 MB), so never part of `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/opencode-server/*.server.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    // A first run installs the server.
    hookTimeout: 600_000,
  },
});
