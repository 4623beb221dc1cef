/**
 * `npm run golden`: checks the golden traces. `-- take <run…>` makes a set of stored runs, `-- cases` the one of the
 * known cases, `-- accept` writes the verdicts that the judge gives now, for a change of the judge that is meant.
 */
import { basename, join } from "node:path";
import { UserError } from "../base/user-error.ts";
import { acceptSet, checkSet, GOLDEN_FOLDER, goldenSets, writeSet } from "../checks/golden/golden-set.ts";
import { CASES_SET, takeCases, takeRuns } from "../checks/golden/take.ts";

const USAGE = "use: npm run golden [-- check | take <run folder…> | cases | accept]";

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main([command = "check", ...folders]: readonly string[]): Promise<number> {
  if (folders.length > 0 !== (command === "take")) throw new UserError(USAGE);
  switch (command) {
    case "check":
      return check();
    case "take": {
      const { set, traces } = await takeRuns(folders);
      return write(set, traces);
    }
    case "cases":
      return write(CASES_SET, takeCases());
    case "accept":
      for (const set of goldenSets()) acceptSet(set);
      console.log("The verdicts of now are the expected ones; read the difference before you commit it.");
      return 0;
    default:
      throw new UserError(USAGE);
  }
}

function check(): number {
  const sets = goldenSets();
  const differences = sets.flatMap(checkSet);
  for (const difference of differences) console.log(difference);
  const names = sets.map((set) => basename(set)).join(", ");
  console.log(
    differences.length === 0
      ? `Every golden trace has its expected verdict, to the byte (${names}).`
      : `${differences.length} verdicts differ. If the judge was meant to change: npm run golden -- accept`,
  );
  return differences.length === 0 ? 0 : 1;
}

function write(set: string, traces: Parameters<typeof writeSet>[1]): number {
  writeSet(join(GOLDEN_FOLDER, set), traces);
  console.log(`traces/golden/${set}: ${traces.length} traces, and each of them spoilt`);
  return 0;
}
