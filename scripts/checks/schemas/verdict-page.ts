/**
 * `docs/verdicts.md`: every axis with its values and codes, every finding, each with its sentence and the first golden
 * trace that has it. Leaves to others: the tables themselves (`src/reconcile/`).
 */
import { z } from "zod";
import { ATTRIBUTION_CODES, Attribution } from "../../../src/reconcile/attribution.ts";
import { AXES } from "../../../src/reconcile/axes/index.ts";
import { FINDING_CODES } from "../../../src/reconcile/finding-codes.ts";
import type { Verdict } from "../../../src/reconcile/verdict.ts";
import { type GoldenVerdict, GoldenVerdicts } from "./golden-verdicts.ts";
import type { JsonSchema } from "./record-page.ts";

const NO_EXAMPLE = "no golden trace";

/** A word of an answer: where it stands in the answer, and what it means. */
type Word = { readonly path: readonly string[]; readonly word: string; readonly meaning: string | null };

/** What has words and codes: the axes, and whom a verdict is put down to. */
type Part = {
  readonly name: string;
  readonly asks: string;
  readonly schema: z.ZodType;
  readonly codes: Readonly<Record<string, string>>;
};

const PARTS: readonly Part[] = [
  ...AXES,
  {
    name: "attribution",
    asks: "Whose doing is what stands out?",
    schema: Attribution,
    codes: ATTRIBUTION_CODES,
  },
];

export function verdictPage(): string {
  const golden = GoldenVerdicts.read();
  return [
    "# Verdicts",
    "",
    "<!-- Written by `npm run schemas` from the tables in `src/reconcile/` and the golden verdicts: change those. -->",
    "",
    "What the judge may say of a trial. Each answer has words, a code for why, and the records that decide it; `show` prints all three.",
    "An example is the first golden trace with that word or code. *Spoilt* means a copy of it that was damaged on purpose in the way named.",
    "The format: `traces/schema/verdict.json`. What stands in a trace: `traces/README.md`.",
    "",
    ...PARTS.flatMap((part) => partLines(part, golden)),
    "## Findings",
    "",
    "Reasons why a trial is invalid, and remarks on valid ones. Words in ‹ › are facts of the trial. Where a reading is damaged, an axis",
    "takes its code from here.",
    "",
    "| code | sentence | example |",
    "| --- | --- | --- |",
    ...Object.keys(FINDING_CODES).map(
      (code) =>
        `| \`${code}\` | ${cell(findingSentence(code))} | ${exampleOf(golden.first(hasFinding(code)))} |`,
    ),
  ]
    .join("\n")
    .concat("\n");
}

/** Words of answers that have no meaning written beside them. */
export function wordsWithoutMeaning(): string[] {
  return PARTS.flatMap(({ name, schema }) =>
    wordsOf(jsonSchemaOf(schema))
      .filter(({ meaning }) => meaning === null)
      .map(({ path, word }) => `${[name, ...path].join(".")}: ${word}`),
  );
}

function partLines({ name, asks, schema, codes }: Part, golden: GoldenVerdicts): string[] {
  const words = wordsOf(jsonSchemaOf(schema));
  const manyFields = new Set(words.map(({ path }) => path.join("."))).size > 1;
  const ownCodes = Object.entries(codes);
  return [
    `## ${name}`,
    "",
    asks,
    "",
    "| word | meaning | example |",
    "| --- | --- | --- |",
    ...words.map(({ path, word, meaning }) => {
      const shown = manyFields ? `${path.join(".")}: \`${word}\`` : `\`${word}\``;
      const example = golden.first((verdict) => valuesAt(answerIn(verdict, name), path).includes(word));
      return `| ${shown} | ${meaning ?? ""} | ${exampleOf(example)} |`;
    }),
    "",
    ...(ownCodes.length === 0
      ? []
      : [
          "| code | why | example |",
          "| --- | --- | --- |",
          ...ownCodes.map(([code, sentence]) => {
            const example = golden.first((verdict) =>
              valuesAt(answerIn(verdict, name), ["code"]).includes(code),
            );
            return `| \`${code}\` | ${cell(sentence)} | ${exampleOf(example)} |`;
          }),
          "",
        ]),
  ];
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema) as JsonSchema;
}

/** All words of an answer, wherever in it they stand. */
function wordsOf(schema: JsonSchema, path: readonly string[] = []): Word[] {
  if (schema.enum !== undefined)
    return schema.enum.map((word) => ({
      path,
      word: String(word),
      meaning: schema.meanings?.[String(word)] ?? null,
    }));
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => wordsOf(inner, [...path, name])),
    ...(schema.items === undefined ? [] : wordsOf(schema.items, path)),
    ...(schema.anyOf ?? []).flatMap((inner) => wordsOf(inner, path)),
  ];
}

function answerIn(verdict: Verdict, name: string): unknown {
  return Reflect.get(verdict, name);
}

/** What stands in an answer at a path, lists on the way looked through. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  return typeof value === "object" && value !== null ? valuesAt(Reflect.get(value, name), rest) : [];
}

function hasFinding(code: string): (verdict: Verdict) => boolean {
  return ({ validity, findings }) => [...validity.reasons, ...findings].some((one) => one.code === code);
}

/** The sentence with the names of its facts in their places. */
function findingSentence(code: string): string {
  const sentence: string | ((facts: never) => string) = Reflect.get(FINDING_CODES, code);
  if (typeof sentence === "string") return sentence;
  const facts = new Proxy(
    {},
    {
      get: (_, name) => `‹${String(name)}›`,
      has: () => true,
      ownKeys: () => ["what", "…"],
      getOwnPropertyDescriptor: (_, name) => ({
        value: `‹${String(name)}›`,
        enumerable: true,
        configurable: true,
      }),
    },
  );
  return sentence(facts as never);
}

function exampleOf(found: GoldenVerdict | null): string {
  if (found === null) return NO_EXAMPLE;
  const { trace, spoiltBy } = found;
  const name = (trace.split("/").at(-1) ?? trace).replace(/\.jsonl$/, "").replaceAll("+", "/");
  return `[${name}](../${trace})${spoiltBy === null ? "" : `, spoilt: ${spoiltBy}`}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
