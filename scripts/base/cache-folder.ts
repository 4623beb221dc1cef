/** Where a user's machine keeps what can be made or installed again. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** A folder of the kit's there, outside of any checkout. */
export function cacheFolder(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const named = env.XDG_CACHE_HOME ?? "";
  const base = isAbsolute(named) ? named : join(homedir(), ".cache");
  return join(base, "opencode-do-recovery-kit", name);
}
