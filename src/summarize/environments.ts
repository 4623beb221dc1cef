/** What two runs ran on, where it differs: the first thing to know about two results that differ. */
import type { Environment } from "../trace/spec.ts";
import type { Comparison, Summary } from "../trace/summary.ts";

type Difference = Comparison["environment"][number];

/** Differs from run to run by nature, and says nothing about what was run. */
const OF_THE_RUN: readonly (keyof Environment)[] = ["commandLine", "startedAt", "seed"];

export function compareEnvironments(a: Summary, b: Summary): Difference[] {
  const [one, other] = [factsOf(a), factsOf(b)];
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
  for (const [name, value] of Object.entries(environment ?? {}))
    if (!OF_THE_RUN.includes(name as keyof Environment) && name !== "host") collect(name, value, facts);
  return facts;
}

function collect(path: string, value: unknown, facts: Map<string, string>): void {
  if (Array.isArray(value) || typeof value !== "object" || value === null)
    facts.set(path, Array.isArray(value) ? value.join(", ") : String(value));
  else for (const [name, inner] of Object.entries(value)) collect(`${path}.${name}`, inner, facts);
}
