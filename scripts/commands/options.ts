/** Options that several commands share. A value that does not fit is complained about by its option. */
import { join } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { z } from "zod";
import { INVARIANTS, type InvariantName, isInvariant } from "../../src/reconcile/invariants.ts";
import { IS_PACKAGE, WORKPLACE } from "../base/repository.ts";

/** What a command takes that reads stored traces. */
export const NAMED =
  "a run or a trace: its path, packed or not (.zip, .tgz, .gz), or the id of a run or trial";

/** Where the folders of runs lie. */
export function tracesOption(): Option {
  return new Option("--traces <folder>", "folder that holds the folders of runs").default(
    join(WORKPLACE, "traces"),
    IS_PACKAGE ? "./traces" : "traces/ of the repository",
  );
}

/** A value of the schema, which complains about it in its own words. */
export function parsedBy<T>(schema: z.ZodType<T>): (text: string) => T {
  return (text) => {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`${parsed.error.issues.map(({ message }) => message)[0]}.`);
  };
}

/** A whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** Invariants for conditions of which nobody said what to expect. */
export function requireOption(): Option {
  const names = Object.keys(INVARIANTS);
  return new Option(
    "--require <names>",
    `what conditions without an expectation must keep, by commas: ${names.join(", ")}`,
  ).argParser((text): InvariantName[] =>
    text.split(",").map((name) => {
      if (isInvariant(name)) return name;
      throw new InvalidArgumentError(`There is no invariant '${name}'. There are: ${names.join(", ")}.`);
    }),
  );
}

/** Which conditions of an experiment are meant; the same words for a run and for a list. */
export function selectionOptions(): Option[] {
  return [
    new Option("--only <factor=level,…>", "keep the conditions that have these levels (canaries stay)"),
    new Option(
      "--subject <name>",
      "keep these subjects, or add one that is installed on demand; may be given several times",
    ).argParser(several),
    new Option(
      "--condition <name>",
      "keep this condition alone; * stands for any part (opencode/*/kill/*); may be given several times",
    )
      .argParser(several)
      .conflicts(["only", "subject", "quick"]),
  ];
}

/** A value of an option that may be given several times. */
export function several(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}
