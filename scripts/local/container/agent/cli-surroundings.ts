/**
 * What every agent CLI of others is given inside: a way to the model, the ledger's tools as an MCP server, and no other way
 * out. Its home is the session's, so that its configuration, sign-in and sessions lie in the container alone.
 */
import { fileURLToPath } from "node:url";
import { CLI_BINARY_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import { OUTSIDE_VARIABLES, outsideBase, variable } from "./outside.ts";

/** Path of the CLI's binary. */
export const binary = (): string => variable(CLI_BINARY_VARIABLE);

/** The model's base URL, before the version in the path. */
export const modelUrl = (): string => `${outsideBase()}/model`;

export const MCP_SERVER = "ledger";
/** Longest wait for an answer of the ledger's, in ms: longer than any point is held. */
export const TOOL_TIMEOUT_MS = 300_000;

/** How the MCP server is started. Not every CLI hands its environment on. */
export function ledgerServer(): {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL("ledger-mcp.ts", import.meta.url))],
    env: Object.fromEntries(OUTSIDE_VARIABLES.map((name) => [name, variable(name)])),
  };
}
