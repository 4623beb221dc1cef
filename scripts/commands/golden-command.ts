/** `golden`: checks the golden traces, makes sets of them, and accepts the verdicts of a judge that was meant to change. */
import { basename, join } from "node:path";
import type { Command } from "commander";
import type { NamedTrace } from "../checks/golden/golden-set.ts";
import { EXIT } from "../stored/outcome.ts";
import type { Terminal } from "./terminal.ts";

/** Loaded by the actions: they bring the judge's known cases. */
const load = () => import("../checks/golden/golden-set.ts");
const loadTake = () => import("../checks/golden/take.ts");

export function registerGolden(program: Command, terminal: Terminal): void {
  const golden = program
    .command("golden")
    .description("check the golden traces: their verdicts must be the expected ones, to the byte")
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExit codes: 0 all verdicts are the expected ones · 1 some differ · 2 bad input.",
    );
  golden
    .command("check", { isDefault: true })
    .description(
      "the default: compute all verdicts, of taken traces and of their spoilt copies, show what differs",
    )
    .action(() => check(terminal));
  golden
    .command("take")
    .description(
      "make a set of the first valid trace of each condition; its name says what the first run ran on",
    )
    .argument("<run...>", "the folder of a stored run")
    .action(async (folders: string[]) => {
      const { set, traces } = await (await loadTake()).takeRuns(folders);
      await write(set, traces, terminal);
    });
  golden
    .command("cases")
    .description("make the set of the judge's known cases")
    .action(async () => {
      const { CASES_SET, takeCases } = await loadTake();
      await write(CASES_SET, takeCases(), terminal);
    });
  golden
    .command("accept")
    .description("take the verdicts of now for the expected ones, for a change of the judge that is meant")
    .action(async () => {
      const { acceptSet, goldenSets } = await load();
      for (const set of goldenSets()) acceptSet(set);
      terminal.stdout.write(
        "The verdicts of now are the expected ones; read the difference before you commit it.\n",
      );
    });
}

async function check({ stdout, exit }: Terminal): Promise<void> {
  const { checkSet, goldenSets } = await load();
  const sets = goldenSets().map((set) => ({ name: basename(set), ...checkSet(set) }));
  const differences = sets.flatMap((set) => set.differences);
  for (const difference of differences) stdout.write(`${difference}\n`);
  const counts = sets.map(
    ({ name, judged }) => `${name}: ${judged.taken} taken, ${judged.damaged} made of them and spoilt`,
  );
  stdout.write(
    differences.length === 0
      ? `Every golden trace has its expected verdict, to the byte (${counts.join("; ")}).\n`
      : `${differences.length} verdicts differ. If the judge was meant to change: npm run golden -- accept\n`,
  );
  exit(differences.length === 0 ? EXIT.asExpected : EXIT.differs);
}

async function write(set: string, traces: readonly NamedTrace[], { stdout }: Terminal): Promise<void> {
  const { GOLDEN_FOLDER, writeSet } = await load();
  writeSet(join(GOLDEN_FOLDER, set), traces);
  stdout.write(`traces/golden/${set}: ${traces.length} traces, and verdicts of each and of a spoilt copy\n`);
}
