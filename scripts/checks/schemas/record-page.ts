/**
 * `traces/README.md`: every field of a trace, from the descriptions in the schemas, and a few traces to begin with.
 * Leaves to others: what a verdict says (`verdict-page.ts`), and the schemas themselves.
 */
import { PAYLOADS, type Source } from "../../../src/trace/payloads.ts";
import type { RecordType } from "../../../src/trace/records.ts";
import { GoldenVerdicts } from "./golden-verdicts.ts";
import { READ_FIRST } from "./read-first.ts";

/** The part of JSON Schema that zod writes for the formats here. */
export type JsonSchema = {
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly meanings?: Readonly<Record<string, string>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
};

/** One field, with those inside it under names like `events[].seq`. */
type Field = {
  readonly path: string;
  readonly type: string;
  readonly unit: string;
  readonly description: string | null;
};

/** Shapes that several records have stand once, under their title. */
type Shapes = Map<string, readonly Field[]>;

export const WRITERS: Readonly<Record<Source, string>> = {
  ledger: "the ledger Worker, of what reaches it: attempts, effects, holds, model requests",
  controller: "the controller's Workflow, the client of the trial, of what it does and what it is answered",
  subject: "the subject's side, of the lives of its object",
  model: "the scripted model, of its answers",
  cli: "the command line, of processes and of storage that it reads from files",
  gate: "the gate in front of an agent's Worker, of requests that it did not let out",
};

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "yes or no",
};

export function recordPage(header: JsonSchema, record: JsonSchema): string {
  const shapes: Shapes = new Map();
  const head = fieldsOf(header, shapes);
  const members = membersOf(record);
  const envelope = fieldsOf(members[0] ?? {}, shapes)
    .filter(({ path }) => isOfEnvelope(path))
    .map((field) => (field.path === "type" ? { ...field, type: "one of those below" } : field));
  const records = members.map((member) => {
    const type = member.properties?.type?.const as RecordType;
    const own = fieldsOf(member, shapes).filter(({ path }) => !isOfEnvelope(path));
    return [
      `### ${type}`,
      "",
      `${member.description ?? ""} Source: ${PAYLOADS[type].sources.map((one) => `\`${one}\``).join(" or ")}.`,
      "",
      ...(own.length === 0 ? ["No fields of its own.", ""] : table(own)),
    ];
  });
  return [
    "# Traces",
    "",
    "<!-- Written by `npm run schemas` from the descriptions in `src/trace/`: change those. -->",
    "",
    "A trace is the whole evidence of one trial, in JSON Lines: a header, then the records of the ledger's journal, each as the text",
    "that was hashed. `seq` is the only order. Times are milliseconds; those of different clocks are never compared, and a",
    "field's meaning names its clock where it is not the ledger's. `null` says that a fact is absent or unknown. A field is left out only",
    "in traces of before it was recorded. The same as JSON Schema: `traces/schema/`. What the judge makes of it: `docs/verdicts.md`.",
    "",
    "## Traces to read first",
    "",
    ...readFirst(),
    "## Who writes records",
    "",
    "| source | who that is |",
    "| --- | --- |",
    ...Object.entries(WRITERS).map(([name, who]) => `| \`${name}\` | ${who} |`),
    "",
    "## Header",
    "",
    "The first line. It is no part of the chain of hashes. The command line writes it when it exports the trace.",
    "",
    ...table(head),
    "## Every record",
    "",
    "The ledger adds `seq`, `at` and `prev`; `source` says who handed the record in.",
    "",
    ...table(envelope),
    "## Records",
    "",
    ...records.flat(),
    "## Shapes that stand in several places",
    "",
    ...[...shapes].flatMap(([title, fields]) => [`### ${title}`, "", ...table(fields)]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

/** Paths of fields without a description, by where they are. */
export function undescribed(schema: JsonSchema): string[] {
  const shapes: Shapes = new Map();
  const found = membersOf(schema).flatMap((member) =>
    fieldsOf(member, shapes).map((field) => ({
      ...field,
      path: `${String(member.properties?.type?.const ?? "header")}.${field.path}`,
    })),
  );
  const inShapes = [...shapes].flatMap(([title, fields]) =>
    fields.map((field) => ({ ...field, path: `${title}.${field.path}` })),
  );
  return [...found, ...inShapes].filter(({ description }) => description === null).map(({ path }) => path);
}

function membersOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema.oneOf ?? schema.anyOf ?? [schema];
}

function isOfEnvelope(path: string): boolean {
  return ["seq", "at", "source", "prev", "type"].includes(path);
}

function fieldsOf(schema: JsonSchema, shapes: Shapes, prefix = ""): Field[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { inner, isList } = within(property);
    const field = {
      path,
      type: typeOf(property) + (required.includes(name) ? "" : ", may be absent"),
      unit: unitOf(property) ?? "–",
      description: property.description ?? null,
    };
    if (inner === null) return [field];
    if (inner.title !== undefined) {
      if (!shapes.has(inner.title)) {
        shapes.set(inner.title, []);
        shapes.set(inner.title, fieldsOf(inner, shapes));
      }
      return [field];
    }
    return [field, ...fieldsOf(inner, shapes, `${path}${isList ? "[]" : ""}.`)];
  });
}

/** The object inside a field, and whether there is a list of them. */
function within(schema: JsonSchema): { inner: JsonSchema | null; isList: boolean } {
  if (schema.properties !== undefined) return { inner: schema, isList: false };
  if (schema.items !== undefined) return { inner: within(schema.items).inner, isList: true };
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  return only !== undefined && others.length === 0 ? within(only) : { inner: null, isList: false };
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.title !== undefined && schema.properties !== undefined)
    return `[${schema.title}](#${schema.title.toLowerCase().replaceAll(" ", "-")})`;
  if (schema.type === "array") return `list: ${typeOf(schema.items ?? {})}`;
  if (typeof schema.additionalProperties === "object")
    return `map: ${typeOf(schema.additionalProperties)} by name`;
  return [schema.type ?? "anything"]
    .flat()
    .map((type) => TYPES[type] ?? type)
    .join(" or ");
}

function unitOf(schema: JsonSchema): string | undefined {
  return schema.unit ?? schema.anyOf?.map(unitOf).find((unit) => unit !== undefined);
}

function table(fields: readonly Field[]): string[] {
  return [
    "| field | type | unit | meaning |",
    "| --- | --- | --- | --- |",
    ...fields.map(
      ({ path, type, unit, description }) => `| \`${path}\` | ${type} | ${unit} | ${description ?? ""} |`,
    ),
    "",
  ];
}

function readFirst(): string[] {
  const golden = GoldenVerdicts.read();
  return [
    "They lie in `traces/golden/`, and `show` prints one as a timeline with its verdict:",
    "",
    "```sh",
    `npm run kit -- show ${READ_FIRST[2]?.trace}`,
    "```",
    "",
    "| trace | what it shows | session | execution | attempts, effects/intended | flags |",
    "| --- | --- | --- | --- | --- | --- |",
    ...READ_FIRST.map(({ trace, shows }) => {
      const { session, execution, operations } = golden.of(trace);
      const total = (of: "attempts" | "effects" | "intended") =>
        operations.reduce((sum, one) => sum + one[of], 0);
      const flags = operations.flatMap((one) => one.flags).join(", ");
      return `| [${conditionOf(trace)}](${trace.replace(/^traces\//, "")}) | ${shows} | ${session.value} | ${execution.value} | ${total("attempts")}, ${total("effects")}/${total("intended")} | ${flags} |`;
    }),
    "",
  ];
}

/** As the condition is called: a file's name cannot have its slashes. */
function conditionOf(trace: string): string {
  return (trace.split("/").at(-1) ?? trace).replace(/\.jsonl$/, "").replaceAll("+", "/");
}
