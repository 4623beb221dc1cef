import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TraceHeader } from "../../../src/trace/file.ts";
import { JournalRecord, RECORD_TYPES, Source } from "../../../src/trace/records.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { undescribed, WRITERS } from "./record-page.ts";
import { jsonSchema, SCHEMA_FOLDER, schemaFiles, schemaPages } from "./schemas.ts";
import { wordsWithoutMeaning } from "./verdict-page.ts";

const files = schemaFiles();

describe("the stored JSON Schemas", () => {
  it("are those that there are", () => {
    expect(readdirSync(SCHEMA_FOLDER).toSorted()).toEqual([...files.keys()].toSorted());
  });

  it.each([...files])("%s is current: 'npm run schemas' writes it anew", (name, text) => {
    expect(readFileSync(join(SCHEMA_FOLDER, name), "utf8")).toBe(text);
  });

  it("name every type of record", () => {
    const { oneOf = [], anyOf = [] } = JSON.parse(files.get("trace-record.json") ?? "{}") as {
      [union in "oneOf" | "anyOf"]?: {
        properties: { type: { const: string } };
        additionalProperties: boolean;
      }[];
    };
    const members = [...oneOf, ...anyOf];
    expect(members.map(({ properties }) => properties.type.const).toSorted()).toEqual(
      [...RECORD_TYPES].toSorted(),
    );
    expect(members.every(({ additionalProperties }) => additionalProperties === false)).toBe(true);
  });
});

describe("the pages made of the schemas", () => {
  it.each([...schemaPages()])("%s is current: 'npm run schemas' writes it anew", (path, text) => {
    expect(readFileSync(join(REPOSITORY, path), "utf8")).toBe(text);
  });

  it("lack no description of a field", () => {
    expect(undescribed(jsonSchema(TraceHeader))).toEqual([]);
    expect(undescribed(jsonSchema(JournalRecord))).toEqual([]);
  });

  it("would show a field without one, however deep it lies", () => {
    const schema = z.strictObject({
      type: z.literal("a.b").describe("its type"),
      list: z.array(z.strictObject({ inner: z.string() })).describe("a list"),
    });
    expect(undescribed(jsonSchema(schema))).toEqual(["a.b.list[].inner"]);
  });

  it("lack no meaning of a word", () => {
    expect(wordsWithoutMeaning()).toEqual([]);
  });

  it("have a writer for every source", () => {
    expect(Object.keys(WRITERS)).toEqual(Source.options);
  });
});
