/**
 * The folder that is an agent's state in one trial: a copy of the user's own, with the configuration of its MCP client and the
 * kit's identity file in it, so that both go when the agent's state does.
 */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join, relative } from "node:path";
import { IDENTITY_FILE, IdentityFile } from "../server/identity-file.ts";
import { configurationWith, type McpServerEntry } from "./agent-command.ts";
import { CONFIG_FILE } from "./agent-environment.ts";

const OWN: readonly string[] = [CONFIG_FILE, IDENTITY_FILE];

/** What lies in it, the kit's own files left out. */
export type StateReading = { readonly files: number; readonly bytes: number; readonly sha256: string };

export class StateFolder {
  readonly path: string;
  readonly identity: IdentityFile;

  constructor(path: string) {
    this.path = path;
    this.identity = new IdentityFile(join(path, IDENTITY_FILE));
  }

  get config(): string {
    return join(this.path, CONFIG_FILE);
  }

  /** `from`: the user's own; null for an empty one. */
  async make(from: string | null): Promise<void> {
    if (from !== null)
      await cp(from, this.path, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    mkdirSync(this.path, { recursive: true });
  }

  /** Before every start: an agent may have removed it with the rest of its state. */
  configure(entry: McpServerEntry): void {
    mkdirSync(this.path, { recursive: true });
    const existing = existsSync(this.config) ? readFileSync(this.config, "utf8") : null;
    writeFileSync(this.config, configurationWith(existing, entry));
  }

  /** By names, sizes and times: enough to tell whether anything was written. */
  read(): StateReading {
    const hash = createHash("sha256");
    const sizes = readdirSync(this.path, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.path, join(entry.parentPath, entry.name)))
      .filter((name) => !OWN.includes(name))
      .sort()
      .flatMap((name) => {
        const found = lstatSync(join(this.path, name), { throwIfNoEntry: false });
        if (found === undefined) return [];
        hash.update(`${name}\0${found.size}\0${found.mtimeMs}\0`);
        return found.size;
      });
    return {
      files: sizes.length,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      sha256: hash.digest("hex"),
    };
  }
}
