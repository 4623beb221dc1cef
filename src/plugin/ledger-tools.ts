/**
 * The two ledger tools, independent of any harness: what they are called, what they take, what they do. The
 * OpenCode plugin and the AI SDK tools wrap these.
 *
 * No retry of their own: each execution is exactly one request, so that every attempt in the journal was ordered
 * by somebody else. A failure is thrown for the harness to record.
 */
import { z } from "zod";
import type { LedgerLink } from "../link/ledger-link.ts";
import { Action, ActionKey } from "../trace/ids.ts";
import type { KeySource } from "../trace/levels.ts";

export const COMMIT_TOOL = "ledger_commit";
export const LOOK_UP_TOOL = "ledger_look_up";

export const CommitInput = z.object({
  action: Action,
  key: ActionKey.nullish(),
  payload: z.string().max(8_000).nullish(),
});
export const LookUpInput = z.object({ action: Action, key: ActionKey.nullish() });

/** Descriptions and JSON Schemas of the inputs, as a model gets to see them. */
export const COMMIT_DESCRIPTION = "Performs an action in the outside world and returns its receipt.";
export const LOOK_UP_DESCRIPTION = "Says whether an action was already performed, and with which receipt.";
export const COMMIT_INPUT_SCHEMA = {
  type: "object",
  properties: {
    action: { type: "string", description: "Name of the action to perform once." },
    key: { type: "string", description: "Idempotency key of the action, if the task gives one." },
    payload: { type: "string", description: "Free text stored with the action." },
  },
  required: ["action"],
} as const;
export const LOOK_UP_INPUT_SCHEMA = {
  type: "object",
  properties: {
    action: { type: "string", description: "Name of the action to look up." },
    key: { type: "string", description: "Idempotency key of the action, if the task gives one." },
  },
  required: ["action"],
} as const;

/** Which run of which object makes a call. Read at call time, because it changes with every activation. */
export type CallerIdentity = {
  readonly activation: string;
  readonly generation: number;
  /** Where the tool runs apart from the object. */
  readonly executor?: string | undefined;
};

/** Which call of which session it is, as the harness says. */
export type CallContext = { readonly session: string; readonly message: string; readonly call: string };

export type LedgerToolOptions = {
  readonly ledger: LedgerLink;
  /** Resolves once this activation's beacon is on its way, so that no attempt precedes its activation. */
  readonly identify: () => Promise<CallerIdentity>;
  readonly key: () => KeySource;
};

/** Performs one attempt. Returns the receipt as JSON text. @throws on any refusal or lost connection. */
export async function commit(
  options: LedgerToolOptions,
  input: unknown,
  context: CallContext,
): Promise<string> {
  const { action, key, payload } = CommitInput.parse(input);
  const identity = await options.identify();
  const receipt = await options.ledger.attempt({
    action,
    key: keyFor(options.key(), key ?? null, context),
    payload: payload ?? "",
    ...identity,
    ...context,
  });
  return JSON.stringify(receipt);
}

/** Asks the ledger whether the action was performed. Returns the answer as JSON text. */
export async function lookUp(
  options: LedgerToolOptions,
  input: unknown,
  context: CallContext,
): Promise<string> {
  const { action, key } = LookUpInput.parse(input);
  const { activation, executor } = await options.identify();
  const found = await options.ledger.lookUp({
    action,
    // A look-up has a call id of its own, under which nothing was ever committed: it asks by action then.
    key: options.key() === "scenario" ? (key ?? null) : null,
    activation,
    ...(executor === undefined ? {} : { executor }),
    session: context.session,
    call: context.call,
  });
  return JSON.stringify(found);
}

/** Both, as a harness offers them: what the model is shown of each, and what a call of it does. */
export const LEDGER_TOOLS = [
  { name: COMMIT_TOOL, description: COMMIT_DESCRIPTION, inputSchema: COMMIT_INPUT_SCHEMA, run: commit },
  { name: LOOK_UP_TOOL, description: LOOK_UP_DESCRIPTION, inputSchema: LOOK_UP_INPUT_SCHEMA, run: lookUp },
] as const;

function keyFor(source: KeySource, given: string | null, context: CallContext): string | null {
  if (source === "none") return null;
  return source === "call-id" ? context.call : given;
}
