import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FURTHER_CASES } from "../reconcile/cases/further-traces.ts";
import { CASES } from "../reconcile/cases/traces.ts";
import { deepEqual } from "./deep-equal.ts";
import { TraceHeader } from "./file.ts";
import { compileQuickCheck } from "./quick-check.ts";
import { JournalRecord, RECORD_TYPES } from "./records.ts";
import { Environment, Expectation } from "./spec.ts";

const quick = compileQuickCheck(JournalRecord);
/** As they come out of a file. */
const RECORDS = Object.values({ ...CASES, ...FURTHER_CASES }).flatMap(
  (build) => JSON.parse(JSON.stringify(build().records)) as unknown[],
);

/** A yes must be zod's, and zod must give the value back as it was. */
function expectSound(check: (value: unknown) => boolean, schema: z.ZodType, value: unknown): void {
  if (!check(value)) return;
  const parsed = schema.safeParse(value);
  expect(parsed.error).toBeUndefined();
  expect(parsed.data).toEqual(value);
}

describe("the quick check of journal records", () => {
  it("says yes to every record of the known cases, so that zod is not needed for sound traces", () => {
    expect(RECORDS.length).toBeGreaterThan(500);
    for (const record of RECORDS) expect(quick(record)).toBe(true);
  });

  it("says yes to nothing that zod does not accept, whatever is changed in a record", () => {
    const words = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        -1,
        0.5,
        2 ** 53,
        Number.POSITIVE_INFINITY,
        Number.NaN,
        "",
        "x".repeat(30_000),
        "🙂".repeat(150),
        [],
        {},
        null,
      ),
      fc.constantFrom<unknown>("none", "abort", "ledger", "0".repeat(64), true),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...RECORDS),
        fc.nat(),
        fc.constantFrom("replace", "remove", "add"),
        words,
        (record, at, how, word) => {
          const changed: unknown = structuredClone(record);
          const places = placesIn(changed);
          const [parent, key] = places[at % places.length] ?? [{}, ""];
          if (how === "replace") Reflect.set(parent, key, word);
          else if (how === "remove") Reflect.deleteProperty(parent, key);
          else
            Object.defineProperty(parent, Array.isArray(parent) ? parent.length : "extra", {
              value: word,
              enumerable: true,
            });
          expectSound(quick, JournalRecord, changed);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("does not take one type's fields for another's", () => {
    for (const record of RECORDS as { type: string }[])
      for (const type of RECORD_TYPES) expectSound(quick, JournalRecord, { ...record, type });
  });

  it("turns away what is no object", () => {
    for (const value of [null, 1, "x", [], [{}], undefined, {}, { type: "toString" }, { type: "__proto__" }])
      expect(quick(value)).toBe(false);
  });

  it("leaves a field called __proto__ to zod", () => {
    const withProto = JSON.parse(`{"__proto__":"1",${JSON.stringify(RECORDS[0]).slice(1)}`) as unknown;
    expect(quick(withProto)).toBe(false);
    const environment = compileQuickCheck(Environment);
    const spec = RECORDS[0] as { environment: object };
    expect(environment(spec.environment)).toBe(true);
    const text = JSON.stringify(spec.environment).replace('"packages":{', '"packages":{"__proto__":"1",');
    expect(environment(JSON.parse(text))).toBe(false);
  });
});

describe("the quick check of a header", () => {
  it("says yes to a sound one", () => {
    const { header } = (CASES.T01 as NonNullable<(typeof CASES)["T01"]>)().toParsed();
    expect(compileQuickCheck(TraceHeader)(JSON.parse(JSON.stringify(header)))).toBe(true);
  });

  it("says yes to an expectation, which every experiment of the kit has", () => {
    const check = compileQuickCheck(Expectation);
    expect(check({ execution: "resumed", stuck: false, attempts: 2, repeat: ["model-reissue"] })).toBe(true);
    expect(check({ "not a key": true })).toBe(false);
  });
});

describe("a compiled schema", () => {
  it("says the same of values of changing order, and of one that lacks what the last one had", () => {
    const check = compileQuickCheck(
      z.strictObject({ a: z.number(), b: z.string(), c: z.number().optional() }),
    );
    for (let round = 0; round < 2; round++) {
      expect(check({ a: 1, b: "x", c: 2 })).toBe(true);
      expect(check({ b: "x", a: 1 })).toBe(true);
      expect(check({ c: 2, b: "x" })).toBe(false);
      expect(check({ a: "x", b: "x" })).toBe(false);
      expect(check({ a: 1, b: "x", d: 1 })).toBe(false);
    }
  });

  const values = [
    ...["", "a", "ab", "abc", "🙂", "🙂🙂", "🙂🙂🙂", "2026-11-17T00:00:00Z", "2026-13-17T00:00:00Z"],
    ...[0, 1, -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN, true, false, null],
    ...[[], ["a"], ["a", "b", "c"], {}, { a: "x" }, { a: 1 }, { a: "x", b: 1 }, { b: 1 }],
  ];

  it.each<[string, z.ZodType]>([
    ["lengths in code points", z.string().min(2).max(2)],
    ["a pattern", z.string().regex(/^a/)],
    ["two patterns", z.string().regex(/^a/).regex(/b$/)],
    ["a pattern that keeps its place", z.string().regex(/a/g)],
    ["a date and time", z.iso.datetime()],
    ["another format", z.email()],
    ["a range", z.number().min(0).max(1)],
    ["an open range", z.number().gt(0).lt(1)],
    ["a whole number", z.number().int()],
    ["a smaller whole number", z.int32()],
    ["a multiple", z.number().multipleOf(2)],
    ["a number from text", z.coerce.number()],
    ["a list", z.array(z.string()).min(1).max(2)],
    ["a list of a certain length", z.array(z.string()).length(1)],
    ["a word or nothing", z.enum(["a", "ab"]).nullable()],
    ["a refined word", z.enum(["a", "ab"]).refine((word) => word === "a")],
    ["a changed word", z.string().trim()],
    ["a word with a default", z.string().default("x")],
    ["a strict object", z.strictObject({ a: z.string(), b: z.number().optional() })],
    ["an object with a default", z.strictObject({ a: z.string().default("x") })],
    ["a refined object", z.strictObject({ a: z.string() }).refine(() => false)],
    ["an object that drops what it does not know", z.object({ a: z.string() })],
    ["an object that keeps it", z.looseObject({ a: z.string() })],
    ["a map", z.record(z.string(), z.string())],
    ["a map with keys of a pattern", z.record(z.string().regex(/^a/), z.string())],
    ["a map with changed keys", z.record(z.string().trim(), z.string())],
    ["a map with certain keys", z.record(z.enum(["a", "b"]), z.number())],
    ["a choice", z.union([z.string(), z.strictObject({ a: z.number() })])],
    ["a transformation", z.string().transform((text) => text.length)],
    ["a pair", z.tuple([z.string()])],
    ["anything", z.unknown()],
  ])("says yes only where zod does and changes nothing: %s", (_name, schema) => {
    const check = compileQuickCheck(schema);
    for (const value of values) expectSound(check, schema, value);
  });
});

describe("deep equality", () => {
  it("is that of JSON texts, whatever the order of fields", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(deepEqual(a, reordered(a))).toBe(true);
        expect(deepEqual(a, b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
    );
  });

  it("knows a list from an object, and nothing from an absent field", () => {
    expect(deepEqual([], {})).toBe(false);
    expect(deepEqual({ a: null }, { b: null })).toBe(false);
    expect(deepEqual(null, {})).toBe(false);
    expect(deepEqual([1, 2], [2, 1])).toBe(false);
  });
});

/** Every field and every item within a value. */
function placesIn(value: unknown): [object, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as [object, string],
    ...placesIn(inner),
  ]);
}

function mapped(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, order));
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  // Wrapped, so that an object without fields does not read like an empty list.
  return { fields: order(Object.keys(value)).map((name) => [name, mapped(Reflect.get(value, name), order)]) };
}

function sorted(value: unknown): unknown {
  return mapped(value, (names) => names.sort());
}

function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reordered(inner)]),
  );
}
