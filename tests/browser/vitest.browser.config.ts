import { defineConfig } from "vitest/config";

/** Report pages in Debian's Chromium, which may have to be installed. `npm test` runs them where that is possible. */
export default defineConfig({
  test: {
    include: ["tests/browser/*.browser.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    // The first run on a machine may install Chromium.
    hookTimeout: 600_000,
  },
});
