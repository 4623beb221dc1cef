/** `mutants`: breaks the stand-in one rule at a time and shows where the contract suite and the verdicts notice. */
import type { Command } from "commander";
import type { Caught } from "../checks/contract/mutants/run-mutants.ts";
import type { Seen } from "../checks/contract/mutants/visibility.ts";
import { pageFor } from "../present/page.ts";
import { wrap } from "../present/wrap.ts";
import { EXIT } from "../stored/outcome.ts";
import { exitOnStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

export function registerMutants(program: Command, terminal: Terminal): void {
  program
    .command("mutants")
    .description(
      "break the stand-in one rule at a time: the suite must fail, the verdict show what can be seen",
    )
    .addHelpText(
      "after",
      [
        "",
        "Exit codes: 0 every mutant is caught and shows as listed · 1 one is not · 2 bad input ·",
        "4 the sound host failed or something could not be run.",
      ].join("\n"),
    )
    .action(() => mutants(terminal));
}

async function mutants({ stdout, stderr, exit }: Terminal): Promise<void> {
  exitOnStop();
  // Loaded here: it brings workerd and the local runtime.
  const { runMutants } = await import("../checks/contract/mutants/run-mutants.ts");
  const { seen, caught } = await runMutants((sentence) => stderr.write(`${sentence}\n`));
  stdout.write("Verdicts of real trials, the sound host's against each mutant's\n\n");
  const { width } = pageFor(stdout);
  for (const one of seen) stdout.write(`${describeSeen(one, width)}\n`);
  stdout.write("\nThe contract suite\n\n");
  for (const one of caught) stdout.write(`${describeCaught(one)}\n`);
  const asListed = seen.every((one) => one.asListed) && caught.every((one) => one.failed === one.ownRule);
  exit(asListed ? EXIT.asExpected : EXIT.differs);
}

function describeSeen({ mutation, visibility, changes, asListed }: Seen, width: number): string {
  const changed = changes.map(({ axis, sound, broken }) => `${axis}: ${sound} → ${broken}`);
  const hidden = "hidden" in visibility ? [`not visible: ${visibility.hidden}`] : [];
  const unlisted = asListed ? [] : [`NOT AS LISTED: ${JSON.stringify(visibility)}`];
  const lines = [...unlisted, ...changed, ...hidden].flatMap((line) => wrap(line, width, "    "));
  return [`${mutation} (${visibility.scene})`, ...lines].join("\n");
}

function describeCaught({ mutation, ownRule, failed }: Caught): string {
  if (failed === null) return `mutant ${mutation} NOT CAUGHT`;
  const own = failed === ownRule;
  return `mutant ${mutation} caught by ${failed}${own ? "" : `, NOT BY ITS OWN RULE: ${ownRule}`}`;
}
