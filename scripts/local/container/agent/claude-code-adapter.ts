/** Anthropic's Claude Code CLI, as the package's own preset runs it, told where model and ledger are. */
import { claudeCodeCli } from "agents/harness/container/runtime";
import { OUTSIDE_KEY_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import { binary, ledgerServer, MCP_SERVER, modelUrl, TOOL_TIMEOUT_MS } from "./cli-surroundings.ts";
import { NO_WAY_OUT } from "./no-way-out.ts";
import { variable } from "./outside.ts";

export const claudeCode: AgentAdapter = () => ({
  ...claudeCodeCli,
  command(turn) {
    const command = claudeCodeCli.command(turn);
    const [, ...given] = command.argv;
    const servers = JSON.stringify({ mcpServers: { [MCP_SERVER]: ledgerServer() } });
    return {
      ...command,
      argv: [binary(), ...given, "--mcp-config", servers, "--strict-mcp-config"],
      env: {
        ...command.env,
        ...NO_WAY_OUT,
        ANTHROPIC_BASE_URL: modelUrl(),
        ANTHROPIC_AUTH_TOKEN: variable(OUTSIDE_KEY_VARIABLE),
        // As root it goes without permission prompts only where it is told that nothing else is at stake.
        IS_SANDBOX: "1",
        // Else tools of MCP servers are named in the prompt and not offered before the model has searched for them.
        ENABLE_TOOL_SEARCH: "false",
        MCP_TIMEOUT: "60000",
        MCP_TOOL_TIMEOUT: String(TOOL_TIMEOUT_MS),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
  },
});
