/**
 * The ledger tools as AI SDK tools, for the harnesses that are written on it. What the tools do is in `ledger-tools.ts`,
 * shared with the OpenCode plugin.
 */
import { jsonSchema, type ToolSet, tool } from "ai";
import {
  type CallContext,
  COMMIT_DESCRIPTION,
  COMMIT_INPUT_SCHEMA,
  COMMIT_TOOL,
  commit,
  type LedgerToolOptions,
  LOOK_UP_DESCRIPTION,
  LOOK_UP_INPUT_SCHEMA,
  LOOK_UP_TOOL,
  lookUp,
} from "./ledger-tools.ts";

/** The AI SDK tells a tool its call, and not the message that made it. */
const MESSAGE = "not-told";

/** The tools for one activation of one object. The session is the trial's, since the AI SDK knows of none. */
export function ledgerTools(options: LedgerToolOptions, session: string): ToolSet {
  const contextOf = (call: { readonly toolCallId: string }): CallContext => ({
    session,
    message: MESSAGE,
    call: call.toolCallId,
  });
  return {
    [COMMIT_TOOL]: tool({
      description: COMMIT_DESCRIPTION,
      // The tool reads its input with its own schema; here is only what the model is shown.
      inputSchema: jsonSchema<unknown>(COMMIT_INPUT_SCHEMA),
      execute: (input, call) => commit(options, input, contextOf(call)),
    }),
    [LOOK_UP_TOOL]: tool({
      description: LOOK_UP_DESCRIPTION,
      inputSchema: jsonSchema<unknown>(LOOK_UP_INPUT_SCHEMA),
      execute: (input, call) => lookUp(options, input, contextOf(call)),
    }),
  };
}
