/**
 * The ledger tools as an OpenCode plugin (host contract, sections 4.1, 4.2, 4.4). The same source runs on the real
 * host and on the stand-in: the bundler decides what `@opencode/plugin` is.
 *
 * `codemode: false`, because nested calls inside `execute` would share one call id.
 */
import { Plugin } from "@opencode/plugin";
import {
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

/** The plugin for one activation of one object. */
export function ledgerPlugin(options: LedgerToolOptions) {
  return Plugin.define({
    id: "recovery-kit.ledger",
    setup(ctx) {
      ctx.tool.transform((tools) => {
        tools.add({
          name: COMMIT_TOOL,
          description: COMMIT_DESCRIPTION,
          input: COMMIT_INPUT_SCHEMA,
          options: { codemode: false },
          async execute(input, call) {
            return { content: await commit(options, input, contextOf(call)) };
          },
        });
        tools.add({
          name: LOOK_UP_TOOL,
          description: LOOK_UP_DESCRIPTION,
          input: LOOK_UP_INPUT_SCHEMA,
          options: { codemode: false },
          async execute(input, call) {
            return { content: await lookUp(options, input, contextOf(call)) };
          },
        });
      });
    },
  });
}

function contextOf(call: { readonly sessionID: string; readonly messageID: string; readonly id: string }) {
  return { session: call.sessionID, message: call.messageID, call: call.id };
}
