/** The mutants are slow and prove the suite, not the host: they run on their own. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/host-contract/*.mutants.ts"],
    fileParallelism: false,
    // A mutant that never resumes makes many cases run into their own limit, four at a time.
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
