/**
 * `npm run host:sdk`: installs the two OpenCode packages beside what the lockfile names, without changing it. A
 * later `npm ci` removes them again.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { REPOSITORY } from "../base/repository.ts";
import { installedVersion } from "../local/workerd/host-choice.ts";

const PACKAGES = ["@opencode/sdk@^2.0.24", "@opencode/plugin@^2.0.24"];

/** Exit code 2: nothing is wrong with the kit, and the user has to find another registry. */
const NOT_AVAILABLE = 2;

const MISSING =
  "the npm registry that this machine uses does not have @opencode/sdk and @opencode/plugin; runs stay on the stand-in";

const args = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", ...PACKAGES];
try {
  await promisify(execFile)("npm", args, { cwd: REPOSITORY });
  // They are optional peers, so npm skips what it cannot find and still reports success: look, do not believe.
  const version = installedVersion("@opencode/sdk");
  if (version === null || installedVersion("@opencode/plugin") === null) notAvailable(MISSING);
  else console.log(`@opencode/sdk ${version} is installed; runs use it from now on (see npm run doctor)`);
} catch (error) {
  const output =
    typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : String(error);
  if (/E404|404 Not Found/.test(output)) notAvailable(MISSING);
  else notAvailable(`npm could not install the packages: ${output.trim().split("\n").slice(-3).join(" ")}`);
}

function notAvailable(reason: string): void {
  console.error(reason);
  process.exitCode = NOT_AVAILABLE;
}
