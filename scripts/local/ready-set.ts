/** An SDK set ready to run as a whole: what is bundled, and the OpenCode server that server subjects run under it. */
import { existsSync } from "node:fs";
import type { SdkSet } from "../../experiments/sdk-sets.ts";
import { toldVersion } from "../base/install-package.ts";
import { installServer, serverBinary } from "./server/install.ts";
import type { HostOption } from "./workerd/host-choice.ts";
import { type LoadedSet, loadSet, needsNoRegistry } from "./workerd/load-set.ts";

export type ReadySet = LoadedSet & {
  /** The server that the set names, with the version that its binary tells; null where it names none. */
  readonly server: { readonly version: string; readonly binary: string } | null;
};

/** Whether the set can be made ready without a registry. */
export function isInstalled(set: SdkSet): boolean {
  const server = set.server === undefined || existsSync(serverBinary(set.server.version));
  return server && needsNoRegistry(set);
}

/** @throws UserError when something that the set names does not exist, or the registry cannot be asked. */
export async function readySet(
  set: SdkSet,
  option: HostOption,
  onProgress: (sentence: string) => void,
): Promise<ReadySet> {
  const server = set.server === undefined ? null : await serverOf(set.server.version, onProgress);
  return { ...(await loadSet(set, option, onProgress)), server };
}

async function serverOf(version: string, onProgress: (sentence: string) => void) {
  const binary = await installServer(onProgress, version);
  return { version: await toldVersion(binary), binary };
}
