/** OpenAI's Codex CLI, as the package's own preset runs it, told where model and ledger are. */
import { codexCli } from "agents/harness/container/runtime";
import { OUTSIDE_KEY_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import { binary, ledgerServer, MCP_SERVER, modelUrl, TOOL_TIMEOUT_MS } from "./cli-surroundings.ts";
import { NO_WAY_OUT } from "./no-way-out.ts";

/**
 * A model that Codex does not know is offered its tools as tools. One that it knows may be given a single tool that runs code,
 * and the others as functions in that code.
 */
const MODEL = "scripted";

/** Of the ledger's MCP server, in ms, for a machine that is busy with many of them. */
const START_TIMEOUT_MS = 60_000;

/** What it asks of the internet at each start, where it may: plugins, apps, statistics, a newer release. */
const QUIET = [
  "features.plugins=false",
  "features.remote_plugin=false",
  "features.apps=false",
  "analytics.enabled=false",
  "check_for_update_on_startup=false",
];

export const codex: AgentAdapter = () => ({
  ...codexCli,
  command(turn) {
    const command = codexCli.command(turn);
    // The preset ends with the sign for a prompt on the standard input.
    const [, ...given] = command.argv.slice(0, -1);
    return {
      ...command,
      argv: [
        binary(),
        ...given,
        ...[...QUIET, ...provider(), mcpServer()].flatMap((setting) => ["-c", setting]),
        "-m",
        MODEL,
        "-",
      ],
      env: { ...command.env, ...NO_WAY_OUT },
    };
  },
});

function provider(): string[] {
  const fields = {
    name: toml("scripted model"),
    base_url: toml(`${modelUrl()}/v1`),
    env_key: toml(OUTSIDE_KEY_VARIABLE),
    wire_api: toml("responses"),
  };
  return ["model_provider=kit", `model_providers.kit=${table(fields)}`];
}

function mcpServer(): string {
  const { command, args, env } = ledgerServer();
  const fields = {
    command: toml(command),
    args: `[${args.map(toml).join(",")}]`,
    env: table(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, toml(value)]))),
    // Else a turn begins without the tools of a server that takes longer than a second to start.
    required: "true",
    startup_timeout_sec: String(START_TIMEOUT_MS / 1_000),
    tool_timeout_sec: String(TOOL_TIMEOUT_MS / 1_000),
  };
  return `mcp_servers.${MCP_SERVER}=${table(fields)}`;
}

/** TOML's basic strings have the escapes of JSON's. */
const toml = (text: string): string => JSON.stringify(text);

function table(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(",")}}`;
}
