/** `npm run schemas`: writes the JSON Schemas of the stored formats to `traces/schema/`. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../base/repository.ts";
import { schemaFiles } from "../checks/schemas/schemas.ts";

const folder = join(REPOSITORY, "traces", "schema");
const files = schemaFiles();
mkdirSync(folder, { recursive: true });
// A format that is gone leaves no schema behind.
for (const name of readdirSync(folder))
  if (name.endsWith(".json") && !files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
process.stdout.write(`traces/schema: ${[...files.keys()].join(", ")}\n`);
