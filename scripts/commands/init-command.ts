/** `init`: the first configuration for a user's own Worker. */
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function registerInit(program: Command, { stdout }: Terminal): void {
  program
    .command("init")
    .description("write a recovery.config.ts beside your wrangler.jsonc, with your binding in it")
    .argument("[folder]", "your Worker's folder", ".")
    .action(async (folder: string) => {
      const { resolve } = await import("node:path");
      const { writeFirstConfig } = await import("../local/own/first-config.ts");
      const { shownPath } = await import("../base/shown-path.ts");
      const { printable } = await import("../base/printable.ts");
      const written = printable(shownPath(await writeFirstConfig(resolve(folder))));
      stdout.write(
        `written: ${written}\nNothing else was changed. Change what is marked CHANGE, then: run ${written} --dry-run\n`,
      );
    });
}
