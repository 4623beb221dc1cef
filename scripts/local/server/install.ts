/**
 * The pinned OpenCode server in a cache folder of the repository: installed once from the registry, from then on
 * found without a network.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { SERVER_VERSION } from "./version.ts";

const run = promisify(execFile);

/**
 * `opencode-ai` itself is a launcher; installing it brings every platform package that fits, 185 MB each. So the
 * platform's own package is installed directly.
 */
const PACKAGE = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** @returns The path of the server's binary. @throws UserError when the registry does not have it. */
export async function installServer(onProgress: (sentence: string) => void): Promise<string> {
  const folder = join(REPOSITORY, ".cache", `opencode-${SERVER_VERSION}`);
  const name = process.platform === "win32" ? "opencode.exe" : "opencode";
  const binary = join(folder, "node_modules", PACKAGE, "bin", name);
  if (!existsSync(binary)) {
    onProgress(`installing ${PACKAGE}@${SERVER_VERSION} (about 185 MB) into ${folder}`);
    await install(folder);
  }
  const version = (
    await run(binary, ["--version"], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } })
  ).stdout.trim();
  if (version !== SERVER_VERSION)
    throw new UserError(
      `${binary} is version ${version}, not ${SERVER_VERSION}; delete ${folder} and run again`,
    );
  return binary;
}

async function install(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--prefix", folder, "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    await run("npm", [...args, `${PACKAGE}@${SERVER_VERSION}`], { cwd: folder });
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    if (/E404|ETARGET|404 Not Found/.test(output))
      throw new UserError(
        `the npm registry that this machine uses does not have ${PACKAGE}@${SERVER_VERSION}, so there is no real OpenCode server here`,
      );
    throw new UserError(`npm could not install ${PACKAGE}@${SERVER_VERSION}: ${firstLines(output)}`);
  }
}

/** npm begins with what went wrong and ends with where its log lies. */
function firstLines(output: string): string {
  return output.trim().split("\n").slice(0, 3).join(" ");
}
