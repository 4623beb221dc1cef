/**
 * Puts the stand-in, and the real package beside it where it is asked for, through the contract suite and compares
 * them rule by rule. See docs/stand-in.md.
 */
import { HOST_IDENTITY } from "../../../src/host/stand-in/identity.ts";
import { UserError } from "../../base/user-error.ts";
import { chooseHost, type HostChoice } from "../../local/workerd/host-choice.ts";
import type { HostName } from "./bench-protocol.ts";
import { type Comparison, compareHosts, isSound } from "./compare-hosts.ts";
import { Lab } from "./host-lab.ts";
import { ENTRIES, type Entry, runSuite, type SuiteRun } from "./suite.ts";

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

type CheckOptions = {
  readonly host: HostName;
  /** Folder whose `node_modules` holds the OpenCode packages. */
  readonly packages: string;
  /** Text in the name of each rule that is wanted; every name has the empty one. */
  readonly rule: string;
};

/** @throws UserError when the SDK is asked for and a package is missing, or no rule has such a name. */
export async function checkContract(
  { host, packages, rule }: CheckOptions,
  onProgress: (sentence: string) => void,
): Promise<CheckedHosts> {
  const entries = ENTRIES.filter((entry) => entry.rule.name.includes(rule));
  if (entries.length === 0)
    throw new UserError(`--rule: no rule has '${rule}' in its name; docs/stand-in.md has their names`);
  const sdk = host === "sdk" ? chooseHost("sdk", packages) : null;
  // Both are bundled and started first, so that a package that cannot be used costs nobody a suite.
  const labs = [await Lab.start("stand-in")];
  try {
    if (sdk !== null) labs.push(await Lab.start("sdk", packages));
    const runs: SuiteRun[] = [];
    for (const lab of labs)
      runs.push(
        await suiteOf(lab, entries, lab.host === "sdk" && sdk !== null ? sdk : HOST_IDENTITY, onProgress),
      );
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
  entries: readonly Entry[],
  { name, version }: Pick<HostChoice, "name" | "version">,
  onProgress: (sentence: string) => void,
): Promise<SuiteRun> {
  onProgress(`${name} ${version}: ${entries.length} cases`);
  let ended = 0;
  return runSuite(lab, entries, {
    pool: POOL,
    limitMs: LIMIT_MS,
    onResult: ({ outcome, rule, reason }) => {
      ended += 1;
      if (outcome === "fails") onProgress(`  fails: ${rule.name}: ${reason}`);
      if (ended % PROGRESS_EVERY === 0) onProgress(`  ${ended} of ${entries.length}`);
    },
  });
}
