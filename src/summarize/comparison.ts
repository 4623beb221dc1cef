/** What two runs come to side by side: the same questions asked of both. Leaves computing it to `compare-runs.ts`. */
import { z } from "zod";
import type { Counted } from "../reconcile/axes/axis.ts";
import { Distribution, type Rate, Share, Tally } from "../trace/counts.ts";
import { Count } from "../trace/ids.ts";
import { HostIdentity } from "../trace/spec.ts";
import { type ConditionSummary, type CountedParts, countedParts } from "./summary.ts";

export const COMPARISON_SCHEMA = "opencode-do-recovery-kit/comparison/2";

type Asked = NonNullable<Counted<never>["asked"]>;

/** A question that both runs are asked, and how to read the answers off a summary. */
type Question = {
  readonly key: string;
  readonly question: string;
  readonly answers: (one: ConditionSummary) => Tally;
};

/** Every axis asks; what the verdicts say beside the axes is compared as well. */
export const QUESTIONS: readonly Question[] = [
  ...countedParts().flatMap(([key, { asked }]): Question[] =>
    asked === null
      ? []
      : [
          {
            key,
            question: asked.question,
            answers: (one) => (asked as Asked).answers(one[key as keyof ConditionSummary] as never),
          },
        ],
  ),
  { key: "callMismatches", question: "calls told differently", answers: (one) => one.callMismatches },
  { key: "attribution", question: "attributed to", answers: (one) => one.attribution },
];

/** The rates that both runs are compared by, with how to read them off a summary. */
export const RATES: readonly { readonly of: string; readonly read: (parts: CountedParts) => Rate }[] =
  countedParts().flatMap(([key, { rates }]) =>
    Object.entries(rates).map(([of, rate]) => ({
      of,
      read: (parts: CountedParts) => rate(parts[key as keyof CountedParts] as never),
    })),
  );

const Different = z.strictObject({ what: z.string(), a: z.string().nullable(), b: z.string().nullable() });
const Pair = z.strictObject({ a: Tally, b: Tally });
const Seen = z.strictObject({ events: Count, trials: Count, acts: Count });

/** The same questions asked of two runs. */
export const Comparison = z.strictObject({
  schema: z.literal(COMPARISON_SCHEMA),
  runs: z.strictObject({ a: z.string(), b: z.string() }),
  /** What each subject ran as, and what a result on it is worth; null where no trace tells, or nothing limits it. */
  hosts: z.strictObject({ a: HostIdentity.nullable(), b: HostIdentity.nullable() }),
  caveats: z.strictObject({ a: z.string().nullable(), b: z.string().nullable() }),
  /** What the two ran on, where it differs; null where one of them has none. */
  environment: z.array(Different),
  /** Conditions that only one of the runs has a valid trial of. */
  only: z.strictObject({ a: z.array(z.string()), b: z.array(z.string()) }),
  /** Whether conditions of one run only were left out of the answer on purpose. */
  commonOnly: z.boolean(),
  /** Two-sided Fisher tests over acts, corrected after Holm over all of them that could have shown anything. */
  tests: z.strictObject({ family: Count, level: Share }),
  conditions: z.array(
    z.strictObject({
      condition: z.string(),
      canary: z.boolean(),
      valid: z.strictObject({ a: Count, b: Count }),
      /** Independent acts behind the valid trials: trials that one reset took together are one. */
      acts: z.strictObject({ a: Count, b: Count }),
      /** Settings of the condition that differ: factors, waits and what else its spec says. */
      settings: z.array(Different),
      /** What each run answered to each question, by the question's key. */
      answers: z.record(z.string(), Pair),
      /** Keys of the questions to which one run gave an answer that the other never gave. */
      kinds: z.array(z.string()),
      tests: z.array(
        z.strictObject({
          of: z.enum(RATES.map(({ of }) => of) as [string, ...string[]]),
          a: Seen,
          b: Seen,
          /** Null where it is withheld. */
          p: Share.nullable(),
          /** Why there is no p-value: trials of one act are copies, and one act shows no chance. */
          withheld: z.string().nullable(),
          /** Null when the counts admit one outcome only, so that the test is no member of the family. */
          adjusted: Share.nullable(),
          significant: z.boolean(),
        }),
      ),
      /** Times that differ, in ms: the ranges do not overlap and the medians lie apart. */
      times: z.array(
        z.strictObject({ of: z.string(), a: Distribution, b: Distribution, differs: z.boolean() }),
      ),
      differs: z.boolean(),
    }),
  ),
  /** Whether anything but the environment and the settings differs. */
  differs: z.boolean(),
});
export type Comparison = z.infer<typeof Comparison>;
