/** `contract`: puts an OpenCode host through the host contract suite and prints rule by rule what holds. */
import { type Command, Option } from "commander";
import { REPOSITORY } from "../base/repository.ts";
import type { CheckedHosts } from "../checks/contract/check-contract.ts";
import { pageFor } from "../present/page.ts";
import { EXIT } from "../stored/outcome.ts";
import { exitOnStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

type ContractOptions = {
  readonly host: "sdk" | "stand-in";
  readonly packages: string;
  readonly rule: string;
  readonly json?: true;
};

export function registerContract(program: Command, terminal: Terminal): void {
  program
    .command("contract")
    .description(
      "put an OpenCode host through the rules of the host contract, under the real harness in workerd",
    )
    .addOption(
      new Option("--host <host>", "sdk: the real @opencode/sdk too, beside the stand-in")
        .choices(["sdk", "stand-in"])
        .default("stand-in"),
    )
    .addOption(
      new Option("--packages <folder>", "where node_modules with the two packages lies").default(
        REPOSITORY,
        "this checkout",
      ),
    )
    .addOption(
      new Option("--rule <text>", "only the rules whose name has this text").default("", "every rule"),
    )
    .option("--json", "print the table as JSON")
    .addHelpText(
      "after",
      [
        "",
        "Exit codes: 0 every rule holds on the stand-in and none differs on the SDK · 1 some rule does not hold ·",
        "2 bad input or no SDK · 4 the suite could not be run. What published sources leave open decides nothing.",
      ].join("\n"),
    )
    .action((options: ContractOptions) => contract(options, terminal));
}

async function contract({ host, packages, rule, json }: ContractOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  exitOnStop();
  // Loaded here: they bring workerd and the bundler.
  const { checkContract } = await import("../checks/contract/check-contract.ts");
  const { renderComparison } = await import("../checks/contract/contract-table.ts");
  const checked = await checkContract({ host, packages, rule }, (sentence) => stderr.write(`${sentence}\n`));
  const { hosts, comparison, sound } = checked;
  if (json === true) stdout.write(`${JSON.stringify({ hosts, ...comparison }, null, 2)}\n`);
  else stdout.write(`${renderComparison(comparison, pageFor(stdout))}\n`);
  stderr.write(`${summaryOf(checked)}\n`);
  exit(sound ? EXIT.asExpected : EXIT.differs);
}

function summaryOf({ hosts: { sdk }, comparison: { rules, uncertain } }: CheckedHosts): string {
  const count = (holds: (row: (typeof rules)[number]) => boolean) => rules.filter(holds).length;
  const standIn = `stand-in: ${count((row) => row.standIn === "holds")} rules hold, ${count((row) => row.standIn === "fails")} fail`;
  const open = `${uncertain.length} uncertain, only reported`;
  if (sdk === null) return `${standIn}; ${open}`;
  const agreements = (["agree", "differ", "not run"] as const).map(
    (agreement) => `${count((row) => row.agreement === agreement)} ${agreement}`,
  );
  return `${standIn}; ${sdk.name} ${sdk.version}: ${agreements.join(", ")}; ${open}`;
}
