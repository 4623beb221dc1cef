/**
 * Which levels this version of the controller can carry out. A trial that asks for another one is refused before
 * anything happens, instead of being run as something else.
 */
import type { Factors } from "../trace/spec.ts";

const OFFERED: { readonly [F in "point" | "reset" | "reconnect" | "heldAttempt"]: readonly Factors[F][] } = {
  point: ["none", "before-commit", "after-commit"],
  reset: ["none", "abort", "kill"],
  reconnect: ["after-quiet"],
  heldAttempt: ["dropped"],
};

/** One sentence for the first level that is not offered, or null. */
export function notOffered(factors: Factors): string | null {
  for (const factor of Object.keys(OFFERED) as (keyof typeof OFFERED)[]) {
    const levels: readonly string[] = OFFERED[factor];
    if (!levels.includes(factors[factor]))
      return `${factor} '${factors[factor]}' is not offered by this version; offered: ${levels.join(", ")}`;
  }
  if ((factors.point === "none") !== (factors.reset === "none"))
    return "a trial has a point and a reset, or neither: 'none' goes with 'none'";
  if (factors.resets !== (factors.reset === "none" ? 0 : 1))
    return `resets must be ${factors.reset === "none" ? 0 : 1} with reset '${factors.reset}', not ${factors.resets}`;
  return null;
}
