/**
 * The browser tests as a part of `npm test`: run where Chromium is, or where it can be installed; else one visible sentence
 * says that they were not. Tests that ran and failed fail in any case.
 */
import { spawnSync } from "node:child_process";
import { chromiumPath } from "./chromium.ts";

/** The one test that asserts a time needs a machine to itself, which it has in `npm run test:browser`. */
const UNTIMED = "^(?!.*less than two seconds)";

try {
  chromiumPath();
  const { status } = spawnSync("npm", ["run", "--silent", "test:browser", "--", "-t", UNTIMED], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} catch (error) {
  process.stdout.write(`browser tests not run: ${error instanceof Error ? error.message : String(error)}\n`);
}
