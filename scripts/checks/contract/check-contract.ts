/**
 * Puts the stand-in, and the real package beside it where it is asked for, through the contract suite and compares
 * them rule by rule. See docs/stand-in.md.
 */
import { HOST_IDENTITY } from "../../../src/host/stand-in/identity.ts";
import { chooseHost, type HostChoice } from "../../local/workerd/host-choice.ts";
import type { HostName } from "./bench-protocol.ts";
import { type Comparison, compareHosts, isSound } from "./compare-hosts.ts";
import { Lab } from "./host-lab.ts";
import { ENTRIES, runSuite, type SuiteRun } from "./suite.ts";

/** The longest cases wait for the real package's retries, which take up to 40 s. */
const LIMIT_MS = 90_000;
const POOL = 4;
const PROGRESS_EVERY = 20;

export type CheckedHosts = {
  readonly hosts: { readonly standIn: typeof HOST_IDENTITY; readonly sdk: HostChoice | null };
  readonly comparison: Comparison;
  /** Every rule holds on the stand-in, and none differs on the SDK. */
  readonly sound: boolean;
};

/**
 * @param packages - Folder whose `node_modules` holds the OpenCode packages.
 * @throws UserError when the SDK is asked for and a package is missing.
 */
export async function checkContract(
  host: HostName,
  packages: string,
  onProgress: (sentence: string) => void,
): Promise<CheckedHosts> {
  const sdk = host === "sdk" ? chooseHost("sdk", packages) : null;
  // Both are bundled and started first, so that a package that cannot be used costs nobody a suite.
  const labs = [await Lab.start("stand-in")];
  try {
    if (sdk !== null) labs.push(await Lab.start("sdk", packages));
    const runs: SuiteRun[] = [];
    for (const lab of labs)
      runs.push(await suiteOf(lab, lab.host === "sdk" && sdk !== null ? sdk : HOST_IDENTITY, onProgress));
    const [standInRun, sdkRun = null] = runs;
    if (standInRun === undefined) throw new Error("the stand-in was not run");
    const comparison = compareHosts(standInRun, sdkRun);
    return { hosts: { standIn: HOST_IDENTITY, sdk }, comparison, sound: isSound(comparison) };
  } finally {
    await Promise.all(labs.map((lab) => lab.stop()));
  }
}

function suiteOf(
  lab: Lab,
  { name, version }: Pick<HostChoice, "name" | "version">,
  onProgress: (sentence: string) => void,
): Promise<SuiteRun> {
  onProgress(`${name} ${version}: ${ENTRIES.length} cases`);
  let ended = 0;
  return runSuite(lab, ENTRIES, {
    pool: POOL,
    limitMs: LIMIT_MS,
    onResult: ({ outcome, rule, reason }) => {
      ended += 1;
      if (outcome === "fails") onProgress(`  fails: ${rule.name}: ${reason}`);
      if (ended % PROGRESS_EVERY === 0) onProgress(`  ${ended} of ${ENTRIES.length}`);
    },
  });
}
