/**
 * What a tool result says. A tool message has nothing but text, so the ledger tools answer in JSON and every
 * other text is an error of the host or of the tool.
 */
import { z } from "zod";
import { OpaqueId } from "../trace/index.ts";

export type Outcome =
  /** A commit that succeeded. */
  | { readonly kind: "receipt"; readonly receipt: string }
  /** A look-up that succeeded; the receipts of the effects that it found. */
  | { readonly kind: "entries"; readonly receipts: readonly string[] }
  /** The host lost the call: the effect may or may not have happened. */
  | { readonly kind: "interrupted" }
  /** The call definitely had no effect. */
  | { readonly kind: "refused" }
  /** Some other error: it decides nothing about the effect. */
  | { readonly kind: "error" }
  /** The text of a tool that is not the ledger's. */
  | { readonly kind: "other" };

const Receipt = z.object({ receipt: OpaqueId, error: z.undefined().optional() });
const Entries = z.object({ found: z.boolean(), effects: z.array(z.object({ receipt: OpaqueId })) });

const INTERRUPTED = /interrupt|abort|cancel/i;
/** Texts of calls that never ran: refused by the ledger, or by the host before the tool was started. */
const REFUSED =
  /\brejected\b|unknown tool|invalid tool input|tool\.(unknown|input-)|not available|unsupported call/i;
const ERROR = /error|fail|interrupt|abort|cancel|unknown tool|not available/i;

/** `tool`: the ledger tool that answered; null for any other tool. */
export function readOutcome(tool: string | null, text: string): Outcome {
  if (tool?.startsWith("ledger_") !== true) return { kind: ERROR.test(text) ? "error" : "other" };
  const value = findJson(text);
  const receipt = Receipt.safeParse(value);
  if (receipt.success) return { kind: "receipt", receipt: receipt.data.receipt };
  const entries = Entries.safeParse(value);
  if (entries.success)
    return {
      kind: "entries",
      receipts: entries.data.found ? entries.data.effects.map((effect) => effect.receipt) : [],
    };
  if (REFUSED.test(text)) return { kind: "refused" };
  if (INTERRUPTED.test(text)) return { kind: "interrupted" };
  return { kind: "error" };
}

/** The ledger's receipts, which are told from every other text by their shape. */
const RECEIPT = /\br\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

export type OwnOutcome =
  | { readonly kind: "succeeded"; readonly receipt: string | null }
  | { readonly kind: "interrupted" | "refused" | "error" };

/** The words in which harnesses say that they do not know what became of a call. */
const UNSURE = /interrupt|abort|cancel|may or may not|outcome is unknown/i;

/**
 * What the result of an agent's own tool says. `shows`: text that stands in every result of a success; where it is not given, a
 * receipt shows one, and so does every text that does not read as a failure.
 */
export function readOwnOutcome(text: string, shows: string | undefined): OwnOutcome {
  const receipt = RECEIPT.exec(text)?.[0] ?? null;
  const shown = shows === undefined ? receipt !== null : text.includes(shows);
  if (shown) return { kind: "succeeded", receipt };
  if (UNSURE.test(text)) return { kind: "interrupted" };
  if (REFUSED.test(text)) return { kind: "refused" };
  return shows === undefined && !ERROR.test(text) ? { kind: "succeeded", receipt } : { kind: "error" };
}

/** Whether the outcome counts as a success in `model.requested`. */
export function isOk(outcome: Outcome): boolean {
  return outcome.kind === "receipt" || outcome.kind === "entries" || outcome.kind === "other";
}

/** The JSON of a text that is JSON, or that has one JSON object with words around it. */
function findJson(text: string): unknown {
  for (const candidate of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}
