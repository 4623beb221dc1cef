/**
 * A program of its own: one call of a ledger tool, for an agent whose commands run in an executor. Arguments: the tool, its input as
 * JSON, the call's id. Prints what the tool says; a failure is its text, and exit code 1.
 */
import { LEDGER_TOOLS } from "../../../../src/plugin/ledger-tools.ts";
import { SESSION_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import { UNKNOWN } from "../../../../src/trace/protocol/shell-protocol.ts";
import { ledgerToolOptions, outside, variable } from "./outside.ts";

const [name, input = "{}", call = UNKNOWN] = process.argv.slice(2);
try {
  const tool = LEDGER_TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`unknown tool ${name}`);
  const context = { session: variable(SESSION_VARIABLE), message: UNKNOWN, call };
  console.log(await tool.run(ledgerToolOptions(outside()), JSON.parse(input), context));
} catch (error) {
  console.log(`Error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
