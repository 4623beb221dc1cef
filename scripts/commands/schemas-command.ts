/** `schemas`: writes the JSON Schemas of the stored formats, and the pages made of their descriptions. */
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function registerSchemas(program: Command, { stdout }: Terminal): void {
  program
    .command("schemas")
    .description("write the JSON Schemas of the stored formats, and the pages that are made of them")
    .action(async () => {
      const { writeSchemas } = await import("../checks/schemas/schemas.ts");
      stdout.write(`written: ${writeSchemas().join(", ")}\n`);
    });
}
