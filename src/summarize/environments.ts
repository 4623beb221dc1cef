/** What two runs ran on, where it differs: the first thing to know about two results that differ. */
import type { Environment } from "../trace/spec.ts";
import type { Comparison } from "./comparison.ts";
import type { Summary } from "./summary.ts";

type Difference = Comparison["environment"][number];

/** Differs from run to run by nature, and says nothing about what was run. */
const OF_THE_RUN: readonly string[] = [
  "commandLine",
  "startedAt",
  "seed",
] satisfies readonly (keyof Environment)[];

export function compareEnvironments(a: Summary, b: Summary): Difference[] {
  return differing(factsOf(a), factsOf(b));
}

/** Two environments, or the same parts of both, value by value, without what differs by nature. */
export function environmentDifferences(a: Partial<Environment>, b: Partial<Environment>): Difference[] {
  const facts = (environment: Partial<Environment>) => {
    const found = new Map<string, string>();
    collectAll(environment, [], found);
    return found;
  };
  return differing(facts(a), facts(b));
}

/** What two lists of facts tell differently, or only one of them tells. */
export function differing(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): Difference[] {
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((what) => {
    const values = { a: one.get(what) ?? null, b: other.get(what) ?? null };
    return values.a === values.b ? [] : [{ what, ...values }];
  });
}

/** Every value by its path. The host is the one that a subject reported, which knows its own version. */
function factsOf({ environment, host, experiment }: Summary): Map<string, string> {
  const facts = new Map<string, string>();
  if (experiment !== null) facts.set("experiment", experiment);
  if (host !== null) collect("host", host, facts);
  collectAll(environment ?? {}, ["host"], facts);
  return facts;
}

function collectAll(
  environment: Partial<Environment>,
  without: readonly string[],
  facts: Map<string, string>,
): void {
  for (const [name, value] of Object.entries(environment))
    if (!OF_THE_RUN.includes(name) && !without.includes(name)) collect(name, value, facts);
}

function collect(path: string, value: unknown, facts: Map<string, string>): void {
  if (Array.isArray(value) || typeof value !== "object" || value === null)
    facts.set(path, Array.isArray(value) ? value.join(", ") : String(value));
  else for (const [name, inner] of Object.entries(value)) collect(`${path}.${name}`, inner, facts);
}

/** Of the first trace that tells one: a run has one. */
export function environmentOf(
  trials: readonly { readonly environment: Environment | null }[],
): Environment | null {
  return trials.find(({ environment }) => environment !== null)?.environment ?? null;
}
