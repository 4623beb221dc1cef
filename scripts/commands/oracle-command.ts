/**
 * `npm run test:oracle`: plays the same scenarios on a real OpenCode 1.18 server and on the stand-in and prints where
 * they agree. See docs/oracle.md.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { MUTATIONS, type Mutation } from "../../src/host/stand-in/mutations.ts";
import { UserError } from "../base/user-error.ts";
import { isFailure } from "../checks/oracle/compare-sides.ts";
import { NORMALISATIONS } from "../checks/oracle/normalise.ts";
import { countsOf, renderTable } from "../checks/oracle/oracle-table.ts";
import { play } from "../checks/oracle/play.ts";
import { installServer } from "../local/server/install.ts";
import { SERVER_VERSION } from "../local/server/version.ts";
import { pageFor } from "../present/page.ts";

const HELP = `npm run test:oracle -- [--json] [--break <rule>]

Compares the stand-in with a real OpenCode ${SERVER_VERSION} server, which is installed into .cache/ on first use.
  --json          print the table as JSON
  --break <rule>  let the stand-in break this rule (one of the mutations of src/host/stand-in), to see it noticed
  --help          print this
Exit code: 0 no unlisted difference, 1 an unlisted or a stale difference, 2 bad input or no server to be had,
4 a scenario did not come to its end.`;

const MUTATION_NAMES = Object.keys(MUTATIONS) as Mutation[];

const progress = (sentence: string) => console.error(sentence);

async function main(): Promise<number> {
  const { json, help, broken } = readArguments();
  if (help) {
    console.log(HELP);
    return 0;
  }
  const { lines, failures, unforeseen } = await play(await installServer(progress), broken, progress);
  const counts = countsOf(lines);
  if (json)
    console.log(
      JSON.stringify(
        { server: SERVER_VERSION, counts, failures, unforeseen, normalisations: NORMALISATIONS, lines },
        null,
        2,
      ),
    );
  else console.log(renderTable(lines, pageFor(process.stdout)));
  for (const failure of failures) console.error(`FAILED ${failure}`);
  for (const request of unforeseen) console.error(`UNFORESEEN ${request}`);
  console.error(
    `OpenCode ${SERVER_VERSION} and the stand-in: ${counts.agree} rules agree, ${counts.known} known differences, ` +
      `${counts.UNLISTED} unlisted, ${counts.STALE} stale`,
  );
  if (failures.length > 0) return 4;
  return lines.some(isFailure) || unforeseen.length > 0 ? 1 : 0;
}

function readArguments(): { json: boolean; help: boolean; broken: readonly Mutation[] } {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
        break: { type: "string", multiple: true, default: [] },
      },
    });
    return { ...values, broken: z.array(z.enum(MUTATION_NAMES)).parse(values.break) };
  } catch (error) {
    const sentence = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new UserError(`${sentence}\n${HELP}`);
  }
}

// The server and the temporary folder go when the process exits, and only then.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  const isUserError = error instanceof UserError;
  console.error(isUserError ? error.message : error);
  process.exitCode = isUserError ? 2 : 4;
}
