/** `host-sdk`: installs the real OpenCode packages where a registry has them. */
import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function registerHostSdk(program: Command, { stdout }: Terminal): void {
  program
    .command("host-sdk")
    .description(
      "install @opencode/sdk and @opencode/plugin beside what the lockfile names; 'npm ci' removes them",
    )
    .addHelpText("after", "\nExit codes: 0 both are installed · 2 the registry does not have them.")
    .action(async () => {
      const { installSdk } = await import("../local/workerd/install-sdk.ts");
      const version = await installSdk();
      stdout.write(`@opencode/sdk ${version} is installed; runs use it from now on (see npm run doctor)\n`);
    });
}
