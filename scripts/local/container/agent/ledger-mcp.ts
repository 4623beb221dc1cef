/**
 * A program of its own: the ledger's tools as an MCP server on standard input and output, started by an agent CLI for each
 * turn. It ends with its input, so that it does not outlive the CLI.
 *
 * Clients say which call of the model's it is in the request's `_meta`, each in its own words; the session is the harness's,
 * which no client knows.
 */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { type CallContext, LEDGER_TOOLS } from "../../../../src/plugin/ledger-tools.ts";
import { SESSION_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import { UNKNOWN } from "../../../../src/trace/protocol/shell-protocol.ts";
import { ledgerToolOptions, outside, variable } from "./outside.ts";

/** What the clients of the kit say of a call: Codex, Claude Code. */
const Meta = z.object({
  callId: z.string().optional(),
  "x-codex-turn-metadata": z.object({ turn_id: z.string().optional() }).optional(),
  "claudecode/toolUseId": z.string().optional(),
});

serveStdio(() => {
  const options = ledgerToolOptions(outside());
  const server = new McpServer({ name: "ledger", version: "1.0.0" });
  for (const { name, description, inputSchema, run } of LEDGER_TOOLS)
    server.registerTool(
      name,
      { description, inputSchema: fromJsonSchema(structuredClone(inputSchema)) },
      async (input, { mcpReq }) => {
        try {
          return { content: [{ type: "text", text: await run(options, input, contextOf(mcpReq._meta)) }] };
        } catch (error) {
          const text = `Error: ${error instanceof Error ? error.message : String(error)}`;
          return { content: [{ type: "text", text }], isError: true };
        }
      },
    );
  return server;
});
process.stdin.once("end", () => process.exit(0));

function contextOf(sent: unknown): CallContext {
  const meta = Meta.safeParse(sent ?? {}).data ?? {};
  return {
    session: variable(SESSION_VARIABLE),
    message: meta["x-codex-turn-metadata"]?.turn_id ?? UNKNOWN,
    call: meta.callId ?? meta["claudecode/toolUseId"] ?? UNKNOWN,
  };
}
