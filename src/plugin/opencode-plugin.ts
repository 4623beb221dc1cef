/**
 * The ledger tools as an OpenCode plugin (host contract, sections 4.1, 4.2, 4.4). The same source runs on the real
 * host and on the stand-in: the bundler decides what `@opencode/plugin` is.
 *
 * `codemode: false`, because nested calls inside `execute` would share one call id.
 */
import { Plugin } from "@opencode/plugin";
import { LEDGER_TOOLS, type LedgerToolOptions } from "./ledger-tools.ts";

/** The plugin for one activation of one object. */
export function ledgerPlugin(options: LedgerToolOptions) {
  return Plugin.define({
    id: "recovery-kit.ledger",
    setup(ctx) {
      ctx.tool.transform((tools) => {
        for (const { name, description, inputSchema, run } of LEDGER_TOOLS)
          tools.add({
            name,
            description,
            input: inputSchema,
            options: { codemode: false },
            async execute(input, call) {
              return { content: await run(options, input, contextOf(call)) };
            },
          });
      });
    },
  });
}

function contextOf(call: { readonly sessionID: string; readonly messageID: string; readonly id: string }) {
  return { session: call.sessionID, message: call.messageID, call: call.id };
}
