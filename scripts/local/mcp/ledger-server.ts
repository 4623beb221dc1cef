/**
 * The ledger as an MCP server, for agents that are told of it in no other way. Says what it offers and who calls, and leaves
 * to whoever serves it what a call does.
 */
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { UNKNOWN } from "../../../src/trace/protocol/shell-protocol.ts";

/** Under which the configurations of MCP clients know it. */
export const LEDGER_SERVER = "ledger";

export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Resolves with the answer's text; what it throws is the answer's error. `meta`: what the client sent beside the input. */
  readonly run: (input: unknown, meta: unknown) => Promise<string>;
};

/** What clients of the kit say in `_meta` of the model's call that they carry out: Codex, Claude Code. */
const Meta = z.object({
  callId: z.string().optional(),
  "x-codex-turn-metadata": z.object({ turn_id: z.string().optional() }).optional(),
  "claudecode/toolUseId": z.string().optional(),
});

/** Which call of the model's it is, as the client says. The number of a JSON-RPC request begins anew with each client. */
export function callOf(sent: unknown): { readonly message: string; readonly call: string } {
  const meta = Meta.safeParse(sent ?? {}).data ?? {};
  return {
    message: meta["x-codex-turn-metadata"]?.turn_id ?? UNKNOWN,
    call: meta.callId ?? meta["claudecode/toolUseId"] ?? UNKNOWN,
  };
}

export function ledgerServer(tools: readonly OfferedTool[]): McpServer {
  const server = new McpServer({ name: LEDGER_SERVER, version: "1.0.0" });
  for (const { name, description, inputSchema, run } of tools)
    server.registerTool(
      name,
      { description, inputSchema: fromJsonSchema(structuredClone(inputSchema)) },
      async (input, { mcpReq }) => {
        try {
          return { content: [{ type: "text", text: await run(input, mcpReq._meta) }] };
        } catch (error) {
          const text = `Error: ${error instanceof Error ? error.message : String(error)}`;
          return { content: [{ type: "text", text }], isError: true };
        }
      },
    );
  return server;
}

/**
 * Serves it on standard input and output, until the client closes either: a server that outlives its client would hand a late
 * receipt to nobody.
 */
export function serveLedger(tools: () => readonly OfferedTool[]): void {
  serveStdio(() => ledgerServer(tools()));
  process.stdin.once("end", () => process.exit(0));
  process.stdout.once("error", () => process.exit(0));
}
