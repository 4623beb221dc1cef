import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KnownSubject, SUBJECTS } from "../harnesses/index.ts";
import { objectName, parseObjectName, subjectBindingName } from "./object-name.ts";

const Config = z.object({
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  migrations: z.array(z.object({ new_sqlite_classes: z.array(z.string()) })),
});
const config = Config.parse(parse(readFileSync("wrangler.jsonc", "utf8")));
const entry = readFileSync("src/subject/index.ts", "utf8");
const { bindings } = config.durable_objects;

const objects = KnownSubject.options.filter((subject) => SUBJECTS[subject].runs === "object");

describe("the subjects in wrangler.jsonc", () => {
  it.each(objects)(
    "bind a class to the level %s by name, with SQLite storage, and the Worker exports it",
    (level) => {
      const bound = bindings.find(({ name }) => name === subjectBindingName(level))?.class_name;
      expect(bound).toBeDefined();
      expect(config.migrations.flatMap((migration) => migration.new_sqlite_classes)).toContain(bound);
      expect(entry).toMatch(new RegExp(`export (const ${bound} =|\\{ ${bound} \\})`));
    },
  );

  it("are no more than the table needs", () => {
    const names = bindings.map(({ name }) => name).filter((name) => name.endsWith("_SUBJECT"));
    expect(names.toSorted()).toEqual([...new Set(objects.map(subjectBindingName))].toSorted());
  });
});

describe("the name of an object", () => {
  it("says subject and trial", () => {
    const name = objectName("think-rerun", "run-1.t_2");
    expect(parseObjectName({ name })).toEqual({ subject: "think-rerun", trial: "run-1.t_2" });
  });

  it.each([undefined, "", "run-1", "think/run-1/more"])("is not %j", (name) => {
    expect(() => parseObjectName(name === undefined ? {} : { name })).toThrow(
      "is not the name of a subject's object",
    );
  });
});
