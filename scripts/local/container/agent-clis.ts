/**
 * The agent CLIs of others that run as executors: the release that the kit runs, where it lies in the cache folder once it is
 * installed, and what its binary says of itself. Installed from the registry on first use, from then on found without a network.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentCliName } from "../../../src/harnesses/subject-traits.ts";
import { cacheFolder } from "../../base/cache-folder.ts";
import { installPackage, toldVersion } from "../../base/install-package.ts";
import { UserError } from "../../base/user-error.ts";

type AgentCli = {
  /** As its users install it; the platform's own package is a part of that. */
  readonly name: string;
  readonly version: string;
  /** Of the installed files, in MB. */
  readonly size: number;
  /** Null where its makers offer none for this machine. */
  readonly platformPackage: { readonly name: string; readonly version: string } | null;
  /** Path of its binary below `node_modules`. */
  readonly binary: string;
};

const CODEX_VERSION = "0.171.0";
const CLAUDE_CODE_VERSION = "2.1.332";
/** How long a binary may take to tell its version. */
const VERSION_MS = 20_000;
const PLATFORM = `${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

/** The platforms for which both are offered, as Rust calls them. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};
const target = TARGETS[PLATFORM];

/** Their launchers only pick the platform's package, so that one is installed directly. */
export const AGENT_CLIS: Readonly<Record<AgentCliName, AgentCli>> = {
  codex: {
    name: "@openai/codex",
    version: CODEX_VERSION,
    size: 424,
    platformPackage:
      target === undefined ? null : { name: "@openai/codex", version: `${CODEX_VERSION}-${PLATFORM}` },
    binary: join("@openai", "codex", "vendor", target ?? "none", "bin", `codex${suffix}`),
  },
  "claude-code": {
    name: "@anthropic-ai/claude-code",
    version: CLAUDE_CODE_VERSION,
    size: 384,
    platformPackage:
      target === undefined
        ? null
        : { name: `@anthropic-ai/claude-code-${PLATFORM}`, version: CLAUDE_CODE_VERSION },
    binary: join("@anthropic-ai", `claude-code-${PLATFORM}`, `claude${suffix}`),
  },
};

/** Where the CLI's binary lies, or would lie once it is installed. */
export function cliBinary(cli: AgentCliName): string {
  return join(folderOf(cli), "node_modules", AGENT_CLIS[cli].binary);
}

/** @returns The path of its binary. @throws UserError when the registry or its makers have none for this machine. */
export async function installCli(cli: AgentCliName, onProgress: (sentence: string) => void): Promise<string> {
  const { name, version, size, platformPackage } = AGENT_CLIS[cli];
  if (platformPackage === null) throw new UserError(`${name}@${version} is not offered for ${PLATFORM}`);
  const binary = cliBinary(cli);
  const folder = folderOf(cli);
  if (!existsSync(binary)) {
    onProgress(
      `installing ${platformPackage.name}@${platformPackage.version} (about ${size} MB) into ${folder}`,
    );
    await installPackage(folder, { ...platformPackage, brings: `real ${name}` });
  }
  const found = await cliVersion(binary);
  if (found !== version)
    throw new UserError(
      `${binary} is version ${found ?? "unknown"}, not ${version}; delete ${folder} and run again`,
    );
  return binary;
}

/** What the binary says of its version; null when it says none. @throws when it does not run. */
export async function cliVersion(binary: string): Promise<string | null> {
  return /\d+\.\d+\.\d+/.exec(await toldVersion(binary, VERSION_MS))?.[0] ?? null;
}

function folderOf(cli: AgentCliName): string {
  return cacheFolder(join("agent-clis", `${cli}-${AGENT_CLIS[cli].version}`));
}
