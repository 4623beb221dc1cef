/** `schemas`: writes the JSON Schemas of the stored formats to `traces/schema/`. */
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function registerSchemas(program: Command, { stdout }: Terminal): void {
  program
    .command("schemas")
    .description("write the JSON Schemas of the stored formats to traces/schema/")
    .action(async () => {
      const { writeSchemas } = await import("../checks/schemas/schemas.ts");
      stdout.write(`traces/schema: ${writeSchemas().join(", ")}\n`);
    });
}
