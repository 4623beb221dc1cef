/** `oracle`: plays the same scenarios on a real OpenCode server and on the stand-in and prints where they agree. */
import { type Command, Option } from "commander";
import { MUTATIONS, type Mutation } from "../../src/host/stand-in/mutations.ts";
import { SERVER_VERSION } from "../local/server/version.ts";
import { pageFor } from "../present/page.ts";
import { EXIT } from "../stored/outcome.ts";
import { exitOnStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

type OracleOptions = { readonly break?: readonly Mutation[]; readonly json?: true };

export function registerOracle(program: Command, terminal: Terminal): void {
  program
    .command("oracle")
    .description(
      `compare the stand-in with a real OpenCode ${SERVER_VERSION} server, installed into .cache/ on first use`,
    )
    .addOption(
      new Option("--break <rule...>", "let the stand-in break this rule, to see it noticed").choices(
        Object.keys(MUTATIONS),
      ),
    )
    .option("--json", "print the table as JSON")
    .addHelpText(
      "after",
      [
        "",
        "Exit codes: 0 no unlisted difference · 1 an unlisted or a stale difference · 2 bad input or no server to",
        "be had · 4 a scenario did not come to its end.",
      ].join("\n"),
    )
    .action((options: OracleOptions) => oracle(options, terminal));
}

async function oracle(options: OracleOptions, { stdout, stderr, exit }: Terminal): Promise<void> {
  exitOnStop();
  // Loaded here: they bring workerd and the bundler.
  const { checkOracle, isAsListed } = await import("../checks/oracle/check-oracle.ts");
  const { renderTable } = await import("../checks/oracle/oracle-table.ts");
  const progress = (sentence: string) => void stderr.write(`${sentence}\n`);
  const checked = await checkOracle(options.break ?? [], progress);
  const { lines, failures, unforeseen, counts } = checked;
  stdout.write(
    `${options.json === true ? JSON.stringify(checked, null, 2) : renderTable(lines, pageFor(stdout))}\n`,
  );
  for (const failure of failures) progress(`FAILED ${failure}`);
  for (const request of unforeseen) progress(`UNFORESEEN ${request}`);
  progress(
    `OpenCode ${SERVER_VERSION} and the stand-in: ${counts.agree} rules agree, ${counts.known} known differences, ` +
      `${counts.UNLISTED} unlisted, ${counts.STALE} stale`,
  );
  if (failures.length > 0) exit(EXIT.kitFailed);
  else exit(isAsListed(checked) ? EXIT.asExpected : EXIT.differs);
}
