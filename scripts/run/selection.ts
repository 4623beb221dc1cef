/**
 * `--only factor=level,…`: which conditions of an experiment a run keeps. Levels of one factor are alternatives,
 * different factors must all hold.
 *
 * Canaries stay in unless the selection names a subject: a run without them cannot show that the judge convicts.
 */
import type { Condition } from "../../experiments/conditions.ts";
import { FACTORS, type Factor } from "../../experiments/shape.ts";
import { UserError } from "../errors.ts";

/** Levels as text, by factor. Empty keeps everything. */
export type Selection = ReadonlyMap<Factor, readonly string[]>;

export const EVERYTHING: Selection = new Map();

/**
 * @throws UserError naming the known factors, or the levels that the experiment has, when the text has others, and
 * when no condition is left.
 */
export function parseSelection(text: string, conditions: readonly Condition[]): Selection {
  const selection = new Map<Factor, string[]>();
  for (const pair of text.split(",")) {
    const [name = "", level, ...more] = pair.split("=").map((part) => part.trim());
    if (level === undefined || level === "" || more.length > 0)
      throw new UserError(`--only: '${pair}' is not of the form factor=level`);
    const factor = factorCalled(name);
    const known = [...new Set(conditions.map(({ factors }) => String(factors[factor])))];
    if (!known.includes(level))
      throw new UserError(
        `--only: no condition of this experiment has ${factor} '${level}'; it has: ${known.join(", ")}`,
      );
    selection.set(factor, [...(selection.get(factor) ?? []), level]);
  }
  if (!select(conditions, selection).some(({ canary }) => !canary || selection.has("subject")))
    throw new UserError(`--only: no condition has ${text.split(",").join(" and ")} together`);
  return selection;
}

export function select(conditions: readonly Condition[], selection: Selection): Condition[] {
  return conditions.filter(
    (condition) => (condition.canary && !selection.has("subject")) || isSelected(condition, selection),
  );
}

/** The `--only` that keeps this condition, and of the others only those that differ in unnamed factors. */
export function selectionFor({
  subject,
  point,
  reset,
  destination,
  policy,
}: Pick<Condition["factors"], "subject" | "point" | "reset" | "destination" | "policy">): string {
  return Object.entries({ subject, point, reset, destination, policy })
    .map(([factor, level]) => `${factor}=${level}`)
    .join(",");
}

function isSelected({ factors }: Condition, selection: Selection): boolean {
  return [...selection].every(([factor, levels]) => levels.includes(String(factors[factor])));
}

function factorCalled(name: string): Factor {
  const factor = FACTORS.find((known) => known === name);
  if (factor !== undefined) return factor;
  const hint = name === "host" ? "; the host is chosen with --host" : "";
  throw new UserError(`--only: unknown factor '${name}'; known: ${FACTORS.join(", ")}${hint}`);
}
