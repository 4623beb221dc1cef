/** What two runs come to side by side: the same questions asked of both. Leaves computing it to `compare-runs.ts`. */
import { z } from "zod";
import type { Counted } from "../reconcile/axes/axis.ts";
import { type Rate, Share, Tally } from "../trace/counts.ts";
import { Count } from "../trace/ids.ts";
import { type CountedParts, countedParts } from "./summary.ts";

export const COMPARISON_SCHEMA = "opencode-do-recovery-kit/comparison/1";

/** A question that both runs are asked, by the key of its part in a summary. */
export type AskedKey = {
  [K in keyof CountedParts]: CountedParts[K] extends { readonly values: Tally } ? K : never;
}[keyof CountedParts];
type Asked = NonNullable<Counted<never>["asked"]>;

/** The questions, with how to read the answers off a summary. */
export const ASKED: readonly (readonly [key: AskedKey, asked: Asked])[] = countedParts().flatMap(
  ([key, { asked }]) => (asked === null ? [] : [[key as AskedKey, asked] as const]),
);

/** The rates that both runs are compared by, with how to read them off a summary. */
export const RATES: readonly { readonly of: string; readonly read: (parts: CountedParts) => Rate }[] =
  countedParts().flatMap(([key, { rates }]) =>
    Object.entries(rates).map(([of, rate]) => ({
      of,
      read: (parts: CountedParts) => rate(parts[key as keyof CountedParts] as never),
    })),
  );

const Pair = z.strictObject({ a: Tally, b: Tally });
const Seen = z.strictObject({ events: Count, trials: Count });

/** The same questions asked of two runs. */
export const Comparison = z.strictObject({
  schema: z.literal(COMPARISON_SCHEMA),
  runs: z.strictObject({ a: z.string(), b: z.string() }),
  /** What the two ran on, where it differs; null where one of them has none. */
  environment: z.array(
    z.strictObject({ what: z.string(), a: z.string().nullable(), b: z.string().nullable() }),
  ),
  /** Conditions that only one of the runs has a valid trial of. */
  only: z.strictObject({ a: z.array(z.string()), b: z.array(z.string()) }),
  /** Two-sided Fisher tests, corrected after Holm over all of them that could have shown anything. */
  tests: z.strictObject({ family: Count, level: Share }),
  conditions: z.array(
    z.strictObject({
      condition: z.string(),
      canary: z.boolean(),
      valid: z.strictObject({ a: Count, b: Count }),
      session: Pair,
      execution: Pair,
      effects: Pair,
      /** Answers of which one run gave a value that the other never gave. */
      kinds: z.array(z.enum(["session", "execution", "effects"])),
      tests: z.array(
        z.strictObject({
          of: z.enum(RATES.map(({ of }) => of) as [string, ...string[]]),
          a: Seen,
          b: Seen,
          p: Share,
          /** Null when the counts admit one outcome only, so that the test is no member of the family. */
          adjusted: Share.nullable(),
          significant: z.boolean(),
        }),
      ),
      differs: z.boolean(),
    }),
  ),
  /** Whether anything but the environment differs. */
  differs: z.boolean(),
});
export type Comparison = z.infer<typeof Comparison>;
