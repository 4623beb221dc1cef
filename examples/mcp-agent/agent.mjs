// An agent that nobody of the kit wrote for: plain JSON-RPC to the server that `.mcp.json` names, no key, no state, no look-up.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { command, args } = JSON.parse(readFileSync(".mcp.json", "utf8")).mcpServers.ledger;
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = async (id, method, params) => {
  send({ id, method, params });
  return JSON.parse((await answers.next()).value);
};

const clientInfo = { name: "plain", version: "1" };
await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
send({ method: "notifications/initialized" });
const { result } = await ask(2, "tools/call", {
  name: "ledger_commit",
  arguments: { text: process.argv[2] },
});
process.stdout.write(`${result.content[0].text}\n${JSON.stringify({ claim: "committed" })}\n`);
server.stdin.end();
