import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RECORD_TYPES } from "../../../src/trace/records.ts";
import { SCHEMA_FOLDER, schemaFiles } from "./schemas.ts";

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
