/**
 * What an experiment's author may expect of a condition, and how a verdict is held against it: validity, and whatever
 * the axes offer to expect. Axes that an expectation does not name are not compared.
 */
import { z } from "zod";
import type { Expectation as Written } from "../trace/spec.ts";
import type { Expected } from "./axes/axis.ts";
import { AXES, type Merged } from "./axes/index.ts";
import type { Verdict } from "./verdict.ts";

type ByKey = Merged<(typeof AXES)[number]["expected"]>;
type AxesShape = {
  [K in keyof ByKey]: ByKey[K] extends { schema: infer S extends z.ZodType } ? z.ZodOptional<S> : never;
};

const OFFERED: ReadonlyMap<string, { readonly axis: keyof Verdict; readonly expected: Expected<never> }> =
  new Map(
    AXES.flatMap(({ name, expected }) =>
      Object.entries(expected).map(
        ([key, one]) => [key, { axis: name, expected: one as Expected<never> }] as const,
      ),
    ),
  );

/** As it is declared with a condition: only words that the judge can say. */
export const Expectation = z.strictObject({
  /** `invalid` for trials that trip a validity gate on purpose; absent means `valid`. */
  validity: z.enum(["valid", "invalid"]).optional(),
  /** Codes that must be among the reasons of an invalid trial. */
  reasons: z.array(z.string()).optional(),
  ...(Object.fromEntries(
    [...OFFERED].map(([key, { expected }]) => [key, expected.schema.optional()]),
  ) as AxesShape),
});
export type Expectation = z.infer<typeof Expectation>;

export type Difference = { readonly axis: string; readonly expected: string; readonly actual: string };
export type ExpectationMatch = { readonly matches: boolean; readonly differences: readonly Difference[] };

/** `repeat: []` and `repeat: ["none"]` both mean that nothing was repeated. */
export function matchExpectation(verdict: Verdict, expect: Written): ExpectationMatch {
  const { validity } = verdict;
  const actual: Record<string, readonly string[]> = {
    validity: [validity.value],
    // An invalid trial may have further reasons: only the expected ones are asked for.
    reasons: validity.reasons
      .map(({ code }) => code)
      .filter((code) => wordsOf(expect.reasons).includes(code)),
    ...expectableWords(verdict),
  };
  // An expectation may be older than the kit: what no axis offers any more is a difference, never passed over.
  const unknown = Object.keys(expect).filter((key) => !(key in actual));
  const differences = [...Object.keys(actual), ...unknown].flatMap((axis): Difference[] => {
    const wanted = expect[axis];
    if (wanted === undefined) return [];
    const sides = {
      expected: listed(wordsOf(wanted).filter((word) => word !== "none")),
      actual:
        axis in actual ? listed((actual[axis] ?? []).filter((word) => word !== "none")) : "no such axis",
    };
    return sides.expected === sides.actual ? [] : [{ axis, ...sides }];
  });
  return { matches: differences.length === 0, differences };
}

/** The words of a verdict that an expectation may name, by its keys. */
export function expectableWords(verdict: Verdict): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...OFFERED].map(([key, { axis, expected }]) => [key, expected.words(verdict[axis] as never)]),
  );
}

/** An expectation's words, as a verdict says them. */
function wordsOf(wanted: Written[string] | undefined): readonly string[] {
  if (wanted === undefined) return [];
  if (typeof wanted === "boolean") return [wanted ? "yes" : "no"];
  return (Array.isArray(wanted) ? wanted : [wanted]).map(String);
}

/** Each word once, sorted: an expectation names the kinds, not how often. */
function listed(words: readonly string[]): string {
  return words.length === 0 ? "none" : [...new Set(words)].sort().join(", ");
}
