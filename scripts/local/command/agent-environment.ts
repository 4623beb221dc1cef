/** What an agent under trial is told by its environment, and where it finds the ledger. */

/** The ledger as an MCP server over HTTP; its last part opens it. */
export const URL_VARIABLE = "KIT_MCP_URL";
/** The ledger as an MCP server on standard input and output: the command that starts it, as a JSON list of words. */
export const COMMAND_VARIABLE = "KIT_MCP_COMMAND";
/** The file with the same in `mcpServers`. */
export const CONFIG_VARIABLE = "KIT_MCP_CONFIG";
/** The folder that is the agent's state. */
export const STATE_VARIABLE = "KIT_STATE";

/** Name of that file in the agent's folder. */
export const CONFIG_FILE = ".mcp.json";

/** Where calls of the stdio server arrive, and the MCP server over HTTP. */
export const CALLS_PATH = "/calls";
export const MCP_PATH = "/mcp";
