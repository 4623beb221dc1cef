/**
 * The sentence for a code: of a finding, composed from its facts, or of an axis. Stored verdicts may come from another
 * version of the kit, so an unknown code is shown with its facts.
 */

import { ATTRIBUTION_CODES } from "./attribution.ts";
import { AXES } from "./axes/index.ts";
import type { Finding } from "./finding.ts";
import { FINDING_CODES, listing } from "./finding-codes.ts";

type Facts = Finding["facts"];

/** The sentence for a finding or a validity reason. */
export function explain({ code, facts }: Pick<Finding, "code" | "facts">): string {
  const sentence: string | ((facts: never) => string) | undefined = Object.hasOwn(FINDING_CODES, code)
    ? FINDING_CODES[code as keyof typeof FINDING_CODES]
    : undefined;
  if (typeof sentence === "string") return sentence;
  // The facts were typed when the finding was made; a stored one is shown as it is.
  if (sentence !== undefined) return (sentence as (facts: Facts) => string)(facts);
  const details = listing(facts);
  return details === "" ? `${code}.` : `${code} (${details}).`;
}

/** The sentence for the code of an axis: why its value is what it is. */
export function explainAnswer(code: string): string {
  for (const { codes } of [...AXES, { codes: ATTRIBUTION_CODES }])
    if (Object.hasOwn(codes, code)) return Reflect.get(codes, code) as string;
  return explain({ code, facts: {} });
}
