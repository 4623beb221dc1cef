/**
 * OpenCode servers in a cache folder of the repository, one for each version: installed once from the registry, from then on
 * found without a network.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackage, toldVersion } from "../../base/install-package.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { SERVER_VERSION } from "./version.ts";

/**
 * `opencode-ai` itself is a launcher; installing it brings every platform package that fits, 185 MB each. So the
 * platform's own package is installed directly.
 */
const PACKAGE = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** Where the server of a version lies, or would lie once it is installed. */
export function serverBinary(version: string): string {
  const name = process.platform === "win32" ? "opencode.exe" : "opencode";
  return join(folderOf(version), "node_modules", PACKAGE, "bin", name);
}

/** Of the pinned server, as its binary tells; of one that is not installed yet, as it will have to tell. */
export async function pinnedServerVersion(): Promise<string> {
  const binary = serverBinary(SERVER_VERSION);
  return existsSync(binary) ? await toldVersion(binary) : SERVER_VERSION;
}

/**
 * Without a version, the pinned one.
 *
 * @returns The path of the server's binary. @throws UserError when the registry does not have it.
 */
export async function installServer(
  onProgress: (sentence: string) => void,
  version: string = SERVER_VERSION,
): Promise<string> {
  const folder = folderOf(version);
  const binary = serverBinary(version);
  if (!existsSync(binary)) {
    onProgress(`installing ${PACKAGE}@${version} (about 185 MB) into ${folder}`);
    await installPackage(folder, { name: PACKAGE, version, brings: "real OpenCode server" });
  }
  const found = await toldVersion(binary);
  if (found !== version)
    throw new UserError(`${binary} is version ${found}, not ${version}; delete ${folder} and run again`);
  return binary;
}

function folderOf(version: string): string {
  return join(REPOSITORY, ".cache", `opencode-${version}`);
}
