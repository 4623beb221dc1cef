/**
 * The ledger tools as AI SDK tools, for the harnesses that are written on it. What the tools do is in `ledger-tools.ts`,
 * shared with the OpenCode plugin.
 */
import { jsonSchema, type ToolSet, tool } from "ai";
import { type CallContext, LEDGER_TOOLS, type LedgerToolOptions } from "./ledger-tools.ts";

/** The AI SDK tells a tool its call, and not the message that made it. */
const MESSAGE = "not-told";

/** The tools for one activation of one object. The session is the trial's, since the AI SDK knows of none. */
export function ledgerTools(options: LedgerToolOptions, session: string): ToolSet {
  const contextOf = (call: { readonly toolCallId: string }): CallContext => ({
    session,
    message: MESSAGE,
    call: call.toolCallId,
  });
  return Object.fromEntries(
    LEDGER_TOOLS.map(({ name, description, inputSchema, run }) => [
      name,
      tool({
        description,
        // The tool reads its input with its own schema; here is only what the model is shown.
        inputSchema: jsonSchema<unknown>(inputSchema),
        execute: (input, call) => run(options, input, contextOf(call)),
      }),
    ]),
  );
}
