/**
 * Which conditions of an experiment a run keeps: by levels (`--only factor=level,…`), by subject (`--subject`), by name
 * (`--condition`, with `*` for what differs), or a few that touch everything once (`--quick`). Levels of one factor are alternatives, different
 * factors must all hold.
 *
 * A selection by levels that spells out point, reset, destination and policy means the one condition of that name; its
 * variants (other keys, more resets, …) come in by naming their factors too.
 *
 * A subject that has to be installed first is left out unless something names it. `--subject` adds such a one, and keeps
 * of the others only those that it names, if it names any.
 *
 * Canaries stay in unless a selection names a subject or a condition: a run without them cannot show that the judge
 * convicts.
 */
import { type Condition, NAMED } from "../../experiments/conditions.ts";
import { FACTORS, type Factor } from "../../experiments/shape.ts";
import { type KnownSubject, SUBJECTS } from "../../src/harnesses/index.ts";
import { UserError } from "../base/user-error.ts";

export type Selection = {
  /** Levels as text, by factor. Empty keeps everything. */
  readonly levels: ReadonlyMap<Factor, readonly string[]>;
  /** The only subjects to keep beside the canaries and those that `levels` names; null for all. */
  readonly subjects: ReadonlySet<KnownSubject> | null;
  /** The only conditions to keep, canaries included; null for all. */
  readonly names: ReadonlySet<string> | null;
  /** Whether to thin out what is left. */
  readonly quick: boolean;
};

export const EVERYTHING: Selection = { levels: new Map(), subjects: null, names: null, quick: false };

/** As they are typed; absent ones select nothing. */
export type SelectionOptions = {
  readonly only?: string;
  readonly subject?: readonly string[];
  readonly condition?: readonly string[];
  readonly quick?: boolean;
};

/** @throws UserError when a level, a subject or a condition is unknown, and when no condition is left. */
export function selectionOf(options: SelectionOptions, conditions: readonly Condition[]): Selection {
  const { only, subject = [], condition, quick = false } = options;
  return {
    levels: only === undefined ? EVERYTHING.levels : parseLevels(only, conditions),
    subjects: parseSubjects(subject, conditions),
    names: condition === undefined ? null : parseNames(condition, conditions),
    quick,
  };
}

export function select(conditions: readonly Condition[], selection: Selection): Condition[] {
  const { levels, names, quick } = selection;
  const kept = conditions.filter((condition) =>
    names !== null
      ? names.has(condition.name)
      : isOfSubject(condition, selection) && isAsked(condition, levels),
  );
  return quick ? thinOut(kept) : kept;
}

function isOfSubject({ canary, factors }: Condition, { levels, subjects }: Selection): boolean {
  return canary || levels.has("subject") || subjects === null || subjects.has(factors.subject);
}

function isAsked({ canary, factors, variants }: Condition, levels: Selection["levels"]): boolean {
  if (canary && !levels.has("subject")) return true;
  // A selection that spells a name out means the condition of that name, not its variants with other keys or clients.
  if (spellsName(levels) && variants.some((factor) => !levels.has(factor))) return false;
  return [...levels].every(([factor, wanted]) => wanted.includes(String(factors[factor])));
}

/** Every part of a name but the subject, which most experiments have one of. */
function spellsName(levels: Selection["levels"]): boolean {
  return NAMED.every((factor) => factor === "subject" || levels.has(factor));
}

/** Of each block the first, and every condition that is the first with some level; all canaries. */
function thinOut(conditions: readonly Condition[]): Condition[] {
  const seen = new Set<string>();
  return conditions.filter(({ canary, family, factors }) => {
    const touched = [family, ...FACTORS.map((factor) => `${factor}=${factors[factor]}`)];
    const isNew = touched.some((one) => !seen.has(one));
    for (const one of touched) seen.add(one);
    return isNew || canary;
  });
}

function parseLevels(text: string, conditions: readonly Condition[]): Selection["levels"] {
  const levels = new Map<Factor, string[]>();
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
    levels.set(factor, [...(levels.get(factor) ?? []), level]);
  }
  const kept = conditions.filter((condition) => isAsked(condition, levels));
  if (!kept.some(({ canary }) => !canary || levels.has("subject")))
    throw new UserError(`--only: no condition has ${text.split(",").join(" and ")} together`);
  return levels;
}

/** The subjects to keep, or null when that is every one of the experiment. */
function parseSubjects(asked: readonly string[], conditions: readonly Condition[]): Selection["subjects"] {
  const all = [...new Set(conditions.flatMap(({ canary, factors }) => (canary ? [] : [factors.subject])))];
  const unknown = asked.find((name) => !all.some((subject) => subject === name));
  if (unknown !== undefined)
    throw new UserError(
      `--subject: no condition of this experiment has '${unknown}'; it has: ${all.join(", ")}`,
    );
  const isNamed = (subject: KnownSubject) =>
    asked.some((name) => name === subject || name === SUBJECTS[subject].variantOf);
  const ordinary = all.filter((subject) => !SUBJECTS[subject].onDemand);
  const ordinaryAsked = ordinary.filter(isNamed);
  const kept = [
    ...(ordinaryAsked.length > 0 ? ordinaryAsked : ordinary),
    ...all.filter((subject) => SUBJECTS[subject].onDemand && isNamed(subject)),
  ];
  return kept.length === all.length ? null : new Set(kept);
}

/** Names, and patterns in which `*` stands for what lies between two slashes, or for the rest of a name at its end. */
function parseNames(names: readonly string[], conditions: readonly Condition[]): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => {
      const matches = conditions.filter((condition) => isNamedBy(condition.name, name));
      if (matches.length > 0) return matches.map((condition) => condition.name);
      throw new UserError(
        `--condition: this experiment has no '${name}'; near it: ${nearest(name, conditions).join(", ")}; all: npm run kit -- list <experiment>`,
      );
    }),
  );
}

function isNamedBy(name: string, pattern: string): boolean {
  if (!pattern.includes("*")) return name === pattern;
  const [literal = "", ...others] = pattern.split("*");
  const source = others.map((part, place) => {
    const rest = part === "" && place === others.length - 1;
    return `${rest ? ".*" : "[^/]*"}${escaped(part)}`;
  });
  return new RegExp(`^${escaped(literal)}${source.join("")}$`).test(name);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

const NEAR = 3;

/** Those that share the most parts with it, in their order. */
function nearest(name: string, conditions: readonly Condition[]): string[] {
  const parts = name.split(/[/*]+/);
  const shared = (other: string) => {
    const own = other.split("/");
    const begun = parts.filter((part) => part !== "" && own.some((one) => one.startsWith(part))).length;
    return parts.filter((part) => own.includes(part)).length * 2 + begun;
  };
  return conditions
    .map((condition) => condition.name)
    .toSorted((a, b) => shared(b) - shared(a))
    .slice(0, NEAR);
}

function factorCalled(name: string): Factor {
  const factor = FACTORS.find((known) => known === name);
  if (factor !== undefined) return factor;
  const hint = name === "host" ? "; the host is chosen with --host" : "";
  throw new UserError(`--only: unknown factor '${name}'; known: ${FACTORS.join(", ")}${hint}`);
}
