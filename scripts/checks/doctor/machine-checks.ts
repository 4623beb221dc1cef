/**
 * What has to be right on a machine before a run: named steps, each with what to do when it is not. A check reads and
 * changes nothing; one that throws has failed.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { declaredConditions, experimentNames } from "../../../experiments/registry.ts";
import { type SdkSet, SetPackage } from "../../../experiments/sdk-sets.ts";
import { AgentCliName } from "../../../src/harnesses/subject-traits.ts";
import { IS_PACKAGE, packageFolder, REPOSITORY } from "../../base/repository.ts";
import { findDeployments } from "../../deploy/deployment-leftovers.ts";
import { AGENT_CLIS, cliBinary, cliVersion } from "../../local/container/agent-clis.ts";
import { findLeftovers } from "../../local/process/leftovers.ts";
import { chooseHost, installedVersion } from "../../local/workerd/host-choice.ts";
import { pinnedNode } from "../../node-version.mjs";
import { leftoversText } from "../../present/leftovers-text.ts";
import { gitState } from "../../run/environment.ts";
import { slotOf } from "../../run/make-plan.ts";
import { type Answer, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { judgeNode } from "./node-check.ts";
import { checkSet } from "./set-check.ts";

type Check = { readonly name: string; readonly run: () => Answer | Promise<Answer> };

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

const CHECKS: readonly Check[] = [
  { name: "node", run: checkNode },
  { name: "packages", run: checkPackages },
  { name: "miniflare", run: checkMiniflare },
  { name: "workerd", run: checkWorkerd },
  { name: "opencode host", run: checkHost },
  { name: "agent CLIs", run: checkAgentClis },
  { name: "wrangler configs", run: checkConfigs },
  { name: "ports", run: checkPorts },
  { name: "leftovers", run: checkLeftovers },
  { name: "deployments", run: () => checkDeployments() },
  ...(IS_PACKAGE ? [] : [{ name: "git", run: checkGit }]),
];

/** `set`: to be checked too. */
export async function runChecks(set?: SdkSet): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const ofSet = set === undefined ? [] : [{ name: "SDK set", run: () => checkSet(set) }];
  for (const { name, run } of [...CHECKS, ...ofSet]) {
    try {
      results.push({ name, ...(await run()) });
    } catch (error) {
      const found = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
      results.push({ name, ...fail(found, "run 'npm ci' in a clean checkout and try again") });
    }
  }
  return results;
}

function checkNode(): Answer {
  return judgeNode(
    { version: process.versions.node, path: process.execPath },
    pinnedNode(REPOSITORY, process.platform, process.arch),
  );
}

/** Optional dependencies are left to `checkNode`: a machine gets one of them at most. */
async function checkPackages(): Promise<Answer> {
  const { dependencies, devDependencies } = await manifestOf(REPOSITORY);
  const pinned = Object.entries({ ...dependencies, ...devDependencies });
  const other = pinned.flatMap(([name, wanted]) => {
    const installed = installedVersion(name);
    return installed === wanted ? [] : [{ name, wanted, installed }];
  });
  // What a subject is made of may be another version on purpose: that is what is then measured.
  const isSubjects = ({ name, installed }: (typeof other)[number]) =>
    installed !== null && SetPackage.safeParse(name).success;
  const wrong = other.filter((one) => !isSubjects(one));
  if (wrong.length > 0)
    return fail(
      wrong
        .map(({ name, wanted, installed }) => `${name} ${installed ?? "not installed"} (pinned ${wanted})`)
        .join(", "),
      "run 'npm ci'",
    );
  if (other.length > 0)
    return warn(
      `another version than pinned: ${other.map(({ name, wanted, installed }) => `${name} ${installed} instead of ${wanted}`).join(", ")}`,
      `results will be labelled ${other.map(({ name, installed }) => `${name} ${installed}`).join(", ")}; 'npm ci' brings back what is pinned`,
    );
  const shown = ["agents", "wrangler", "miniflare"].map((name) => `${name} ${installedVersion(name)}`);
  return ok(`${pinned.length} as pinned, among them ${shown.join(", ")}`);
}

/** wrangler bundles for the miniflare that it depends on; another one may read its options differently. */
async function checkMiniflare(): Promise<Answer> {
  const { dependencies } = await manifestOf(packageFolder("wrangler") ?? REPOSITORY);
  const wanted = dependencies.miniflare ?? "none";
  const installed = installedVersion("miniflare") ?? "none";
  return wanted === installed
    ? ok(`${installed}, the one that wrangler depends on`)
    : fail(
        `${installed}, but wrangler depends on ${wanted}`,
        `pin miniflare to ${wanted} in package.json and run 'npm install'`,
      );
}

async function checkWorkerd(): Promise<Answer> {
  // Resolved as miniflare does, which is what will start it.
  const require = createRequire(createRequire(join(REPOSITORY, "package.json")).resolve("miniflare"));
  const { default: path } = z.object({ default: z.string() }).parse(require("workerd"));
  const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: 20_000 });
  return ok(stdout.trim());
}

function checkHost(): Answer {
  const { kind, name, version, reason } = chooseHost("auto");
  return kind === "sdk"
    ? ok(`a run uses the SDK (${name} ${version}): ${reason}`)
    : warn(
        `a run uses the stand-in (${name} ${version}): ${reason}`,
        "to measure OpenCode itself, run 'npm install --no-save @opencode/sdk@2 @opencode/plugin@2' where the registry has them",
      );
}

/** They are optional, so one that is not there is nothing to warn of. */
async function checkAgentClis(): Promise<Answer> {
  const found: string[] = [];
  for (const [cli, { name, version, size }] of Object.entries(AGENT_CLIS)) {
    const binary = cliBinary(AgentCliName.parse(cli));
    if (!existsSync(binary)) {
      found.push(
        `${name} ${version} not installed ('npm run harnesses -- --subject ${cli}' brings it, ${size} MB)`,
      );
      continue;
    }
    const told = await cliVersion(binary);
    if (told !== version)
      return warn(
        `${name} is ${told ?? "of no known version"} where ${version} should be`,
        `delete ${dirname(binary)}; the next run that needs it installs it`,
      );
    found.push(`${name} ${version}`);
  }
  return ok(found.join(", "));
}

async function checkConfigs(): Promise<Answer> {
  const { WORKER_CONFIGS } = await import("../../local/workerd/bundle.ts");
  const { unstable_readConfig } = await import("wrangler");
  const read = Object.values(WORKER_CONFIGS).map((config) => {
    const { name, compatibility_date } = unstable_readConfig({ config: join(REPOSITORY, config) });
    return { config, name, date: compatibility_date };
  });
  const dates = [...new Set(read.map(({ date }) => date))];
  if (dates.length > 1)
    return warn(
      read.map(({ config, date }) => `${config} ${date}`).join(", "),
      "give all Workers one compatibility_date, so that a result has one",
    );
  return ok(`${read.map(({ name }) => name).join(", ")}; compatibility date ${dates[0]}`);
}

async function checkPorts(): Promise<Answer> {
  const { pickPorts } = await import("../../local/process/ports.ts");
  const ports = await pickPorts(portsNeeded(), null);
  return ok(`${ports.length} free ports on 127.0.0.1, for example ${ports[0]}`);
}

/** Of the experiment that needs most: controller, ledger, and a subject process for each slot. */
function portsNeeded(): number {
  const slots = experimentNames().map(
    (name) => new Set(declaredConditions(name).map(({ factors }) => slotOf(factors))).size,
  );
  return 2 + Math.max(...slots);
}

async function checkLeftovers(): Promise<Answer> {
  const leftovers = await findLeftovers(tmpdir());
  if (leftovers.length === 0) return ok("no killed command left anything behind");
  return warn(
    `${leftoversText(leftovers)} of a killed command: ${leftovers.map(({ folder }) => folder).join(", ")}`,
    "the next run clears them away",
  );
}

/** `found`: those of this checkout. */
export function checkDeployments(found = findDeployments()): Answer {
  if (found.length === 0) return ok("none lies or runs here");
  const left = found.filter(({ leftover }) => leftover !== null);
  const running = ({ pids }: (typeof found)[number]) =>
    pids.length === 0 ? "" : `, running: process ${pids.join(", ")}`;
  if (left.length === 0) return ok(found.map((one) => `${one.prefix} is in use${running(one)}`).join("; "));
  return warn(
    left.map((one) => `${one.prefix} is not whole (${one.leftover}${running(one)})`).join("; "),
    `remove what is left: ${left.map(({ prefix }) => `npm run deploy -- down --prefix ${prefix}`).join("; ")}`,
  );
}

async function checkGit(): Promise<Answer> {
  const { commit, dirty } = await gitState();
  if (commit === null)
    return warn(
      "no commit can be read",
      "work in a git checkout: a trace records the commit that it came from",
    );
  if (dirty === true)
    return warn(
      `${commit.slice(0, 12)} with uncommitted changes`,
      "commit before a run that others should repeat",
    );
  return ok(`${commit.slice(0, 12)}, clean`);
}

async function manifestOf(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
}
