/**
 * How an answer states its claim about the outside effect, and how the claim is read back: one JSON line
 * below the English. A text whose claim cannot be read claims nothing.
 */
import { z } from "zod";
import { Claim } from "./payloads.ts";

const NO_CLAIM: Claim = { claim: "none", receipt: null };

/** The line as a model may write it: `receipt` may be left out, other fields are ignored. */
const ClaimLine = z.object({ claim: Claim.shape.claim, receipt: Claim.shape.receipt.default(null) });

/** An answer text: a sentence, then the claim on a line of its own. */
export function claimText(sentence: string, claim: Claim): string {
  return `${sentence}\n\n${JSON.stringify({ claim: claim.claim, receipt: claim.receipt })}`;
}

/** Reads the last line that states a claim. Never throws. */
export function parseClaim(text: string | null): Claim {
  if (text === null) return NO_CLAIM;
  for (const line of text.split(/\r?\n/).reverse()) {
    const trimmed = line.trim();
    if (!trimmed.startsWith("{")) continue;
    let value: unknown;
    try {
      value = JSON.parse(trimmed);
    } catch {
      continue;
    }
    const parsed = ClaimLine.safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return NO_CLAIM;
}
