/**
 * A program of its own: the ledger as an MCP server on standard input and output, started by the agent under trial and so in
 * its process group. Passes each call on to whoever started the agent, and decides nothing.
 */
import { call } from "../../../src/link/call.ts";
import { serveLedger } from "../mcp/ledger-server.ts";
import { localFetch } from "../process/local-fetch.ts";
import { CALLS_PATH } from "./agent-environment.ts";
import { LedgerAnswer, offeredTools } from "./offered-tools.ts";

serveLedger(() => {
  const url = new URL(process.argv[2] ?? "");
  const peer = { fetch: localFetch, base: url.origin, secret: url.pathname.split("/").at(-1) ?? "" };
  return offeredTools(
    async (made) => (await call(peer, "POST", CALLS_PATH, LedgerAnswer, { body: made })).text,
  );
});
