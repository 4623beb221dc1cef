/**
 * The stored formats as JSON Schema, for readers in other languages, and as pages for people. Generated from the zod schemas, which are the
 * definition; what JSON Schema cannot say (the hash chain, what one record says of another) is in the judge.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Verdict } from "../../../src/reconcile/verdict.ts";
import { Comparison } from "../../../src/summarize/comparison.ts";
import { Summary } from "../../../src/summarize/summary.ts";
import { TraceHeader } from "../../../src/trace/file.ts";
import { JournalRecord } from "../../../src/trace/records.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { Inspected } from "../../inspect/inspected.ts";
import { RunResult } from "../../present/json-result.ts";
import { Report } from "../../present/reporters/report.ts";
import { TryResult } from "../../present/try-result.ts";
import { type JsonSchema, recordPage } from "./record-page.ts";
import { verdictPage } from "./verdict-page.ts";

export const SCHEMA_FOLDER = join(REPOSITORY, "traces", "schema");

type Described = { readonly title: string; readonly description: string; readonly schema: z.ZodType };

const DESCRIBED: Readonly<Record<string, Described>> = {
  "trace-header": {
    title: "Trace header",
    description: "The first line of a trace file (JSON Lines).",
    schema: TraceHeader,
  },
  "trace-record": {
    title: "Journal record",
    description:
      "Every further line of a trace file. `prev` is the SHA-256 of the line before it; the header line is no part of the chain.",
    schema: JournalRecord,
  },
  verdict: {
    title: "Verdict",
    description: "One line of a run's verdicts.jsonl: what the judge says about one trial.",
    schema: Verdict,
  },
  summary: {
    title: "Summary",
    description: "What `summary --json` prints: a run, condition by condition.",
    schema: Summary,
  },
  report: {
    title: "Report",
    description: "What `--reporter json` writes: a run or two runs compared, as rows that are red or not.",
    schema: Report,
  },
  comparison: {
    title: "Comparison",
    description: "What `compare --json` prints: two runs side by side.",
    schema: Comparison,
  },
  inspected: {
    title: "Inspection",
    description:
      "What `inspect --json` prints: an object's tables, log or jobs as they were read, or two readings compared.",
    schema: Inspected,
  },
  result: {
    title: "Result",
    description: "What `run --json` and `judge --json` print: a run with the verdict of each trial.",
    schema: RunResult,
  },
  "try-result": {
    title: "Result of a try",
    description: "What `try --json` prints: the answer about an agent, and its run.",
    schema: TryResult,
  },
};

/** File names and texts of all schemas. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(DESCRIBED).map(([name, { title, description, schema }]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema);
      return [`${name}.json`, `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`];
    }),
  );
}

/** Paths from the root and texts of the pages that are made of the schemas' descriptions. */
export function schemaPages(): ReadonlyMap<string, string> {
  return new Map([
    ["traces/README.md", recordPage(jsonSchema(TraceHeader), jsonSchema(JournalRecord))],
    ["docs/verdicts.md", verdictPage()],
  ]);
}

export function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema) as JsonSchema;
}

/** @returns Paths of what is written, from the root. */
export function writeSchemas(): string[] {
  const files = schemaFiles();
  mkdirSync(SCHEMA_FOLDER, { recursive: true });
  // A format that is gone leaves no schema behind.
  for (const name of readdirSync(SCHEMA_FOLDER))
    if (name.endsWith(".json") && !files.has(name)) rmSync(join(SCHEMA_FOLDER, name));
  for (const [name, text] of files) writeFileSync(join(SCHEMA_FOLDER, name), text);
  const pages = schemaPages();
  for (const [path, text] of pages) writeFileSync(join(REPOSITORY, path), text);
  return [...[...files.keys()].map((name) => `traces/schema/${name}`), ...pages.keys()];
}
