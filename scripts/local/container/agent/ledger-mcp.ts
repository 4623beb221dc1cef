/**
 * A program of its own: the ledger's tools as an MCP server on standard input and output, started by an agent CLI for each
 * turn. It ends with its input, so that it does not outlive the CLI. The session is the harness's, which no client knows.
 */
import { LEDGER_TOOLS } from "../../../../src/plugin/ledger-tools.ts";
import { SESSION_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import { callOf, serveLedger } from "../../mcp/ledger-server.ts";
import { ledgerToolOptions, outside, variable } from "./outside.ts";

serveLedger(() => {
  const options = ledgerToolOptions(outside());
  return LEDGER_TOOLS.map((tool) => ({
    ...tool,
    run: (input, meta) => tool.run(options, input, { session: variable(SESSION_VARIABLE), ...callOf(meta) }),
  }));
});
