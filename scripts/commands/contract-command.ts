/**
 * `npm run test:contract`: puts the stand-in, and with `--host sdk` the real package beside it, through the host
 * contract suite and prints rule by rule where they agree. See docs/stand-in.md.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { HOST_IDENTITY } from "../../src/host/stand-in/identity.ts";
import { REPOSITORY } from "../base/repository.ts";
import { UserError } from "../base/user-error.ts";
import { type Comparison, compareHosts, isSound } from "../checks/contract/compare-hosts.ts";
import { renderComparison } from "../checks/contract/contract-table.ts";
import { Lab } from "../checks/contract/host-lab.ts";
import { ENTRIES, runSuite, type SuiteRun } from "../checks/contract/suite.ts";
import { chooseHost, type HostChoice } from "../local/workerd/host-choice.ts";
import { pageFor } from "../present/page.ts";

const HELP = `npm run test:contract -- [--host stand-in|sdk] [--packages <folder>] [--json]

Puts an OpenCode host through the rules of the host contract, under the real OpenCodeHarness in workerd.
  --host sdk           the real @opencode/sdk too, beside the stand-in; the default is the stand-in alone
  --packages <folder>  where node_modules with the two packages lies; the default is this checkout
  --json               print the table as JSON
  --help               print this
Exit code: 0 every rule holds on the stand-in and none differs on the SDK, 1 some rule does not hold, 2 bad input or
no SDK, 4 the suite could not be run. What published sources leave open is reported and decides nothing.`;

/** The longest cases wait for the real package's retries, which take up to 40 s. */
const LIMIT_MS = 90_000;
const POOL = 4;
const PROGRESS_EVERY = 20;

const Host = z.enum(["sdk", "stand-in"], { error: "--host: use sdk or stand-in" });

async function main(): Promise<number> {
  const options = readArguments();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const sdk = options.host === "sdk" ? chooseHost("sdk", options.packages) : null;
  // Both are bundled and started first, so that a package that cannot be used costs nobody a suite.
  const labs = [await Lab.start("stand-in")];
  let comparison: Comparison;
  try {
    if (sdk !== null) labs.push(await Lab.start("sdk", options.packages));
    const runs: SuiteRun[] = [];
    for (const lab of labs)
      runs.push(await suiteOf(lab, lab.host === "sdk" && sdk !== null ? sdk : HOST_IDENTITY));
    const [standInRun, sdkRun = null] = runs;
    if (standInRun === undefined) throw new Error("the stand-in was not run");
    comparison = compareHosts(standInRun, sdkRun);
  } finally {
    await Promise.all(labs.map((lab) => lab.stop()));
  }
  const hosts = { standIn: HOST_IDENTITY, sdk };
  if (options.json) console.log(JSON.stringify({ hosts, ...comparison }, null, 2));
  else console.log(renderComparison(comparison, pageFor(process.stdout)));
  console.error(summaryOf(comparison, sdk));
  return isSound(comparison) ? 0 : 1;
}

function suiteOf(lab: Lab, { name, version }: Pick<HostChoice, "name" | "version">): Promise<SuiteRun> {
  console.error(`${name} ${version}: ${ENTRIES.length} cases`);
  let ended = 0;
  return runSuite(lab, ENTRIES, {
    pool: POOL,
    limitMs: LIMIT_MS,
    onResult: ({ outcome, rule, reason }) => {
      ended += 1;
      if (outcome === "fails") console.error(`  fails: ${rule.name}: ${reason}`);
      if (ended % PROGRESS_EVERY === 0) console.error(`  ${ended} of ${ENTRIES.length}`);
    },
  });
}

function summaryOf({ rules, uncertain }: Comparison, sdk: HostChoice | null): string {
  const count = (holds: (row: (typeof rules)[number]) => boolean) => rules.filter(holds).length;
  const standIn = `stand-in: ${count((row) => row.standIn === "holds")} rules hold, ${count((row) => row.standIn === "fails")} fail`;
  const open = `${uncertain.length} uncertain, only reported`;
  if (sdk === null) return `${standIn}; ${open}`;
  const agreements = (["agree", "differ", "not run"] as const).map(
    (agreement) => `${count((row) => row.agreement === agreement)} ${agreement}`,
  );
  return `${standIn}; ${sdk.name} ${sdk.version}: ${agreements.join(", ")}; ${open}`;
}

function readArguments(): { host: "sdk" | "stand-in"; packages: string; json: boolean; help: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        host: { type: "string", default: "stand-in" },
        packages: { type: "string", default: REPOSITORY },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    return { ...values, host: Host.parse(values.host) };
  } catch (error) {
    throw new UserError(
      error instanceof z.ZodError ? (error.issues[0]?.message ?? "bad input") : messageOf(error),
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// workerd goes when the process exits, and only then.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  const isUserError = error instanceof UserError;
  console.error(isUserError ? error.message : error);
  process.exitCode = isUserError ? 2 : 4;
}
