/** An agent as a command line or a file asks for it, made ready to be started from everywhere. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { McpTransport } from "../../../src/own/agent-definition.ts";
import { UserError } from "../../base/user-error.ts";
import { type AgentCommand, anchored, configurationWith, wordsOf } from "./agent-command.ts";
import { CONFIG_FILE } from "./agent-environment.ts";

type Asked = {
  readonly command: string;
  /** Undefined for an empty folder. */
  readonly state: string | undefined;
  readonly prompt: string;
  readonly mcp: McpTransport;
};

/** What the user calls the parts, for what is wrong with them. */
type Names = Readonly<Record<"command" | "state" | "prompt", string>>;

/**
 * @param from the folder that its paths start at.
 * @throws UserError for what cannot be started.
 */
export function askedAgent({ command, state, prompt, mcp }: Asked, from: string, names: Names): AgentCommand {
  if (prompt.trim() === "") throw new UserError(`${names.prompt}: give the agent something to do`);
  return {
    argv: anchored(wordsOf(command, names.command), from, names.command),
    state: state === undefined ? null : stateFolder(resolve(from, state), state, names.state),
    prompt,
    mcp,
  };
}

/** @throws UserError for what cannot be copied, or holds a configuration that is none. */
function stateFolder(path: string, shown: string, name: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UserError(`${name}: there is no folder '${shown}'`);
  if (!relative(path, tmpdir()).startsWith(".."))
    throw new UserError(
      `${name}: '${shown}' holds the folder of temporary files, so it cannot be copied there`,
    );
  const config = join(path, CONFIG_FILE);
  if (statSync(config, { throwIfNoEntry: false }) !== undefined)
    try {
      configurationWith(readFileSync(config, "utf8"), { type: "http", url: "" });
    } catch {
      throw new UserError(`${name}: '${CONFIG_FILE}' in '${shown}' is no list of MCP servers`);
    }
  return path;
}
