import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KnownSubject, SUBJECTS } from "../harnesses/index.ts";
import { subjectBindingName } from "./binding.ts";

const Config = z.object({
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
  migrations: z.array(z.object({ new_sqlite_classes: z.array(z.string()) })),
});
const config = Config.parse(parse(readFileSync("wrangler.jsonc", "utf8")));
const entry = readFileSync("src/subject/index.ts", "utf8");
const { bindings } = config.durable_objects;

const levels = KnownSubject.options.filter((subject) => SUBJECTS[subject].runs === "object");

describe("the subjects in wrangler.jsonc", () => {
  it.each(levels)(
    "bind a class to the level %s by name, with SQLite storage, and the Worker exports it",
    (level) => {
      const bound = bindings.find(({ name }) => name === subjectBindingName(level))?.class_name;
      expect(bound).toBeDefined();
      expect(config.migrations.flatMap((migration) => migration.new_sqlite_classes)).toContain(bound);
      expect(entry).toContain(`export { ${bound} }`);
    },
  );

  it("are no more than there are levels", () => {
    const names = bindings.map(({ name }) => name).filter((name) => name.endsWith("_SUBJECT"));
    expect(names.toSorted()).toEqual(levels.map(subjectBindingName).toSorted());
  });
});
