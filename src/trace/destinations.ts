/**
 * The levels of the factor `destination` and what is true of each. A new destination is a row here and an entry in
 * `ledger-worker/src/effects.ts`, which does not compile without it.
 */
import { z } from "zod";

type DestinationTraits = {
  /** An accepted attempt that repeats an earlier one under the same key finds its effect and makes none. */
  readonly absorbsRepeats: boolean;
  /** What uniqueness is about where an attempt carries no key: its action, or nothing, so that it makes an effect each time. */
  readonly withoutKey: "by-action" | "apart";
};

export const DESTINATIONS = {
  append: { absorbsRepeats: false, withoutKey: "apart" },
  unique: { absorbsRepeats: true, withoutKey: "by-action" },
  keyed: { absorbsRepeats: true, withoutKey: "apart" },
} as const satisfies Record<string, DestinationTraits>;

/** What the tool's attempts act upon. */
export type Destination = keyof typeof DESTINATIONS;
export const Destination = z.enum(Object.keys(DESTINATIONS) as Destination[]);
