/** Installs the two OpenCode packages beside what the lockfile names, without changing it. `npm ci` removes them again. */
import { failureOfNpm } from "../../base/install-package.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { installedVersion } from "./host-choice.ts";

const PACKAGES = ["@opencode/sdk@^2.0.24", "@opencode/plugin@^2.0.24"];
const ARGS = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", ...PACKAGES];

const MISSING =
  "the npm registry that this machine uses does not have @opencode/sdk and @opencode/plugin; runs stay on the stand-in";

/**
 * @returns The version of `@opencode/sdk` that is installed now.
 * @throws UserError when the packages are not to be had: nothing is wrong with the kit, another registry is needed.
 */
export async function installSdk(): Promise<string> {
  const failure = await failureOfNpm(ARGS, REPOSITORY);
  if (failure !== null) {
    if (/E404|404 Not Found/.test(failure)) throw new UserError(MISSING);
    const lastLines = failure.trim().split("\n").slice(-3).join(" ");
    throw new UserError(`npm could not install the packages: ${lastLines}`);
  }
  // They are optional peers, so npm skips what it cannot find and still reports success: look, do not believe.
  const version = installedVersion("@opencode/sdk");
  if (version === null || installedVersion("@opencode/plugin") === null) throw new UserError(MISSING);
  return version;
}
