/** `init`: the first files for a user's own Worker. */
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function registerInit(program: Command, { stdout }: Terminal): void {
  program
    .command("init")
    .description("write a recovery.config.ts and an example experiment beside your wrangler.jsonc")
    .argument("[folder]", "your Worker's folder", ".")
    .action(async (folder: string) => {
      const { resolve } = await import("node:path");
      const { writeFirstFiles } = await import("../local/own/first-config.ts");
      const { shownPath } = await import("../base/shown-path.ts");
      const { printable } = await import("../base/printable.ts");
      const written = await writeFirstFiles(resolve(folder));
      const [config, experiment] = written.map((path) => printable(shownPath(path)));
      stdout.write(
        [
          `written: ${config}, ${experiment}`,
          "Nothing else was changed. Change what is marked CHANGE in the first, then:",
          `  npm run kit -- run ${config} --dry-run   which conditions there are`,
          `  npm run kit -- run ${config}             the trials, and whether your tool is safe`,
          "",
        ].join("\n"),
      );
    });
}
