/**
 * The ledger's two tools as an agent of somebody else's is offered them. It names no action: whatever it records in a trial is
 * the one action that the trial intends, in whatever words, so that a repeat in other words is a repeat.
 */
import { z } from "zod";
import { COMMIT_TOOL, LOOK_UP_TOOL } from "../../../src/plugin/ledger-tools.ts";
import { ActionKey } from "../../../src/trace/ids.ts";
import type { OfferedTool } from "../mcp/ledger-server.ts";

/** A call as it is passed on: which tool, what was given, and what the client said beside it. */
export const LedgerCall = z.strictObject({
  tool: z.enum([COMMIT_TOOL, LOOK_UP_TOOL]),
  input: z.looseObject({ text: z.string().max(8_000).nullish(), idempotency_key: ActionKey.nullish() }),
  meta: z.looseObject({ idempotency_key: ActionKey.nullish() }).nullish(),
});
export type LedgerCall = z.infer<typeof LedgerCall>;

/** The answer's text, or what it failed with. */
export const LedgerAnswer = z.strictObject({ text: z.string() });

/** The key that the agent gives: an argument of the call, or beside it. Nothing stands in for one. */
export function keyOf({ input, meta }: LedgerCall): string | null {
  return input.idempotency_key ?? meta?.idempotency_key ?? null;
}

const KEY = {
  type: "string",
  description:
    "Idempotency key. A call that repeats an earlier one under the same key makes no second entry and returns the first one's receipt.",
} as const;

const TOOLS = [
  {
    name: COMMIT_TOOL,
    description: "Records an entry in the outside world and returns its receipt.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", description: "Text of the entry." },
        idempotency_key: KEY,
      },
    },
  },
  {
    name: LOOK_UP_TOOL,
    description: "Says whether an entry was already recorded for this task, and with which receipt.",
    inputSchema: { type: "object", properties: { idempotency_key: KEY } },
  },
] as const;

export function offeredTools(perform: (call: LedgerCall) => Promise<string>): OfferedTool[] {
  return TOOLS.map((tool) => ({
    ...tool,
    run: async (input, meta) =>
      perform(LedgerCall.parse({ tool: tool.name, input: input ?? {}, meta: meta ?? null })),
  }));
}
