/**
 * A program of its own: a small agent that speaks MCP and asks no model, as a control of `try`. It records one entry, with a key
 * that it stores first and finds again when it is started again, or without one.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { COMMIT_TOOL } from "../../../src/plugin/ledger-tools.ts";
import { claimText } from "../../../src/trace/claim-text.ts";
import { LEDGER_SERVER } from "../mcp/ledger-server.ts";
import { CONFIG_FILE } from "./agent-environment.ts";

/** Where the key is stored, in the folder that is its state. */
const KEY_FILE = "key.txt";

const Servers = z.object({
  mcpServers: z.object({
    [LEDGER_SERVER]: z.union([
      z.object({ command: z.string(), args: z.array(z.string()) }),
      z.object({ url: z.url() }),
    ]),
  }),
});
const Receipt = z.object({ receipt: z.string() });
const Answer = z.object({
  content: z.array(z.object({ text: z.string() })).min(1),
  isError: z.boolean().optional(),
});

const storesKey = process.argv.includes("--stored-key");
const server = Servers.parse(JSON.parse(readFileSync(CONFIG_FILE, "utf8"))).mcpServers[LEDGER_SERVER];
const client = new Client({ name: "control", version: "1.0.0" });
await client.connect(
  "url" in server ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server),
);
const made = await client.callTool({
  name: COMMIT_TOOL,
  arguments: { text: "control", ...(storesKey ? { idempotency_key: storedKey() } : {}) },
});
const { content, isError } = Answer.parse(made);
const [{ text } = { text: "" }] = content;
if (isError === true) throw new Error(text);
const { receipt } = Receipt.parse(JSON.parse(text));
process.stdout.write(`${claimText("The entry is recorded.", { claim: "committed", receipt })}\n`);
await client.close();

/** Written before the call, so that whoever comes after a loss finds it. */
function storedKey(): string {
  if (!existsSync(KEY_FILE)) writeFileSync(KEY_FILE, crypto.randomUUID(), { flush: true });
  return readFileSync(KEY_FILE, "utf8");
}
