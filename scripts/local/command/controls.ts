/** How the commands of trials are started: the agent under trial, and the kit's own agents without which its answer says little. */
import { fileURLToPath } from "node:url";
import type { CommandName } from "../../../src/harnesses/index.ts";
import type { McpTransport } from "../../../src/own/agent-definition.ts";
import { type AgentCommand, DEFAULT_PROMPT } from "./agent-command.ts";

const PROGRAM = fileURLToPath(new URL("control-agent.ts", import.meta.url));

/** By the subject's name. */
export type AgentCommands = Readonly<Record<CommandName, AgentCommand>>;

/** Each control is offered the ledger in another way, so that both ways are vouched for whichever the agent takes. */
export function commandsWith(agent: AgentCommand): AgentCommands {
  const control = (mcp: McpTransport, ...args: readonly string[]): AgentCommand => ({
    argv: [process.execPath, PROGRAM, ...args],
    state: null,
    prompt: DEFAULT_PROMPT,
    mcp,
  });
  return {
    command: agent,
    "command-keyed": control("stdio", "--stored-key"),
    "canary-keyless": control("http"),
  };
}
