/**
 * A quick yes in front of a zod schema. Reading a trace means validating every line of it, and building zod's copy of
 * every nested value is most of that time. This compiles a schema into a function that only looks.
 *
 * It is one-sided: `true` means that zod accepts the value and would give it back unchanged; `false` decides nothing,
 * and the caller asks zod, which has the last word and the words. The schema stays the only definition. A kind of
 * schema or check that is not known here never gets a yes, so that no check can be lost.
 *
 * For values from `JSON.parse` only: plain objects, no `undefined`, no cycles.
 */
import type { z } from "zod";

export type QuickCheck = (value: unknown) => boolean;

/** @param unchecked schemas whose values the caller checks by itself, and more strictly. */
export function compileQuickCheck(schema: z.ZodType, unchecked: readonly z.ZodType[] = []): QuickCheck {
  const known = unchecked.map((one) => [one as unknown as Schema, () => true] as const);
  return compile(schema as unknown as Schema, new Map<Schema, QuickCheck>(known));
}

const compiled = new WeakMap<z.ZodType, QuickCheck>();

/** The quick yes of a schema that is used again and again: it is compiled at its first use. */
export function looksRight(schema: z.ZodType, value: unknown): boolean {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = compileQuickCheck(schema);
    compiled.set(schema, check);
  }
  return check(value);
}

/** The part of zod's internals (`_zod.def`, documented for library authors) that is read here. */
type Schema = { readonly _zod: { readonly def: Definition } };
type Definition = {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[];
  readonly coerce?: boolean;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly keyType?: Schema;
  readonly valueType?: Schema;
  readonly mode?: string;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, string | number>>;
};
type CheckDefinition = {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: unknown;
  readonly inclusive?: boolean;
};

const NEVER: QuickCheck = () => false;

function compile(schema: Schema, known: Map<Schema, QuickCheck>): QuickCheck {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const check = compileNew(schema._zod.def, (inner) => compile(inner, known));
  known.set(schema, check);
  return check;
}

function compileNew(def: Definition, inner: (schema: Schema) => QuickCheck): QuickCheck {
  const checks = (def.checks ?? []).map((one) => one._zod.def);
  if (def.coerce === true) return NEVER;
  switch (def.type) {
    case "string":
      return stringCheck(def, checks);
    case "number":
      // A format that is no check on top of a number, such as a 32-bit one, is not known here.
      return def.format === undefined ? numberCheck(checks) : NEVER;
    case "array":
      return def.element === undefined ? NEVER : arrayCheck(inner(def.element), checks);
    default:
  }
  if (checks.length > 0) return NEVER;
  switch (def.type) {
    case "boolean":
      return (value) => value === true || value === false;
    case "literal":
    case "enum": {
      const values = new Set<unknown>(def.values ?? Object.values(def.entries ?? {}));
      return (value) => values.has(value);
    }
    case "nullable": {
      const check = def.innerType === undefined ? NEVER : inner(def.innerType);
      return (value) => value === null || check(value);
    }
    // An absent field is the object's affair; JSON has no undefined.
    case "optional":
      return def.innerType === undefined ? NEVER : inner(def.innerType);
    case "object":
      return objectCheck(def, inner);
    case "record":
      return recordCheck(def, inner);
    case "union":
      return unionCheck(def, inner);
    default:
      return NEVER;
  }
}

function stringCheck(def: Definition, checks: readonly CheckDefinition[]): QuickCheck {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  const patterns: RegExp[] = [];
  if (def.format !== undefined) {
    // A format of zod's own is known by its pattern; others do more than match.
    if (def.format !== "datetime" || def.pattern === undefined) return NEVER;
    patterns.push(def.pattern);
  }
  for (const { check, format, pattern, minimum, maximum } of checks) {
    // Zod counts code points, of which a string has at most as many as units and at least half as many.
    if (check === "min_length" && minimum !== undefined) least = Math.max(least, 2 * minimum - 1);
    else if (check === "max_length" && maximum !== undefined) most = Math.min(most, maximum);
    else if (check === "string_format" && format === "regex" && pattern !== undefined) patterns.push(pattern);
    else return NEVER;
  }
  // A pattern that keeps its place between calls would match differently each time.
  if (patterns.some((pattern) => pattern.global || pattern.sticky)) return NEVER;
  const [only, ...more] = patterns;
  if (only === undefined)
    return (value) => typeof value === "string" && value.length >= least && value.length <= most;
  if (more.length > 0) return NEVER;
  return (value) =>
    typeof value === "string" && value.length >= least && value.length <= most && only.test(value);
}

function numberCheck(checks: readonly CheckDefinition[]): QuickCheck {
  let [low, high, whole] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, false];
  for (const { check, format, value, inclusive } of checks) {
    if (check === "number_format" && format === "safeint") whole = true;
    else if (check === "greater_than" && typeof value === "number" && inclusive === true)
      low = Math.max(low, value);
    else if (check === "less_than" && typeof value === "number" && inclusive === true)
      high = Math.min(high, value);
    else return NEVER;
  }
  if (whole) return (value) => Number.isSafeInteger(value) && within(value as number, low, high);
  return (value) => Number.isFinite(value) && within(value as number, low, high);
}

function within(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}

function arrayCheck(element: QuickCheck, checks: readonly CheckDefinition[]): QuickCheck {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  for (const { check, minimum, maximum } of checks) {
    if (check === "min_length" && minimum !== undefined) least = Math.max(least, minimum);
    else if (check === "max_length" && maximum !== undefined) most = Math.min(most, maximum);
    else return NEVER;
  }
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    for (const item of value) if (!element(item)) return false;
    return true;
  };
}

/** Strict objects only: every field is declared, every required one is there. */
function objectCheck({ shape, catchall }: Definition, inner: (schema: Schema) => QuickCheck): QuickCheck {
  if (shape === undefined || catchall?._zod.def.type !== "never") return NEVER;
  type Field = { readonly name: string; readonly check: QuickCheck; readonly required: number };
  const fields = new Map<string, Field>();
  // In the order of the last value: whoever writes records writes all of a kind alike, and comparing is cheaper than looking up.
  const lastOrder: Field[] = [];
  let required = 0;
  for (const [name, field] of Object.entries(shape)) {
    const optional = field._zod.def.type === "optional";
    fields.set(name, { name, check: inner(field), required: optional ? 0 : 1 });
    if (!optional) required += 1;
  }
  return (value) => {
    if (!isPlainObject(value)) return false;
    let [found, place] = [0, 0];
    for (const name in value) {
      let field = lastOrder[place];
      if (field?.name !== name) {
        field = fields.get(name);
        if (field === undefined) return false;
        lastOrder[place] = field;
      }
      if (!field.check(value[name])) return false;
      found += field.required;
      place += 1;
    }
    return found === required;
  };
}

function recordCheck(
  { keyType, valueType, mode }: Definition,
  inner: (schema: Schema) => QuickCheck,
): QuickCheck {
  // Keys of another kind than strings declare which ones there are, or are changed.
  if (keyType?._zod.def.type !== "string" || valueType === undefined || mode !== undefined) return NEVER;
  const [isKey, check] = [inner(keyType), inner(valueType)];
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const name in value) if (name === "__proto__" || !isKey(name) || !check(value[name])) return false;
    return true;
  };
}

function unionCheck(
  { options = [], discriminator }: Definition,
  inner: (schema: Schema) => QuickCheck,
): QuickCheck {
  const checks = options.map(inner);
  if (discriminator === undefined) return (value) => checks.some((check) => check(value));
  const byWord = new Map<unknown, QuickCheck>();
  options.forEach((option, index) => {
    const { type, values = [] } = option._zod.def.shape?.[discriminator]?._zod.def ?? { type: "none" };
    if (type === "literal") for (const word of values) byWord.set(word, checks[index] ?? NEVER);
  });
  return (value) => isPlainObject(value) && (byWord.get(value[discriminator])?.(value) ?? false);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
