/**
 * What a run ran on, read from the machine and the checkout. Stored in every trace; holds nothing secret and no path
 * of a machine.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { subjectTraits } from "../../src/harnesses/index.ts";
import type { AgentCliName } from "../../src/harnesses/subject-traits.ts";
import type {
  Environment,
  HostIdentity,
  OwnSources,
  SetUsed,
  Storage,
  TrialSpec,
} from "../../src/trace/spec.ts";
import { IS_PACKAGE, lockfile, REPOSITORY } from "../base/repository.ts";
import { AGENT_CLIS } from "../local/container/agent-clis.ts";
import type { ReadySet } from "../local/ready-set.ts";
import { SERVER_PACKAGE } from "../local/server/version.ts";
import type { WorkerBundle } from "../local/workerd/bundle.ts";
import { type HostChoice, packageVersions } from "../local/workerd/host-choice.ts";

/** Where trials run, and which model answers there where that is not the scripted one. */
export type Where = Pick<Environment, "mode" | "runtime"> & Partial<Pick<Environment, "model">>;

type EnvironmentInput = {
  /** The local runtime where it is absent. */
  readonly where?: Where;
  readonly host: HostChoice;
  /** Version of the OpenCode server among the subjects, as its binary tells; null or absent where there is none. */
  readonly server?: string | null;
  /** The agent CLIs among the subjects' executors; an installed one is the pinned release. */
  readonly clis?: readonly AgentCliName[];
  readonly bundles: Iterable<BundleFacts>;
  /** Null where nobody can tell. */
  readonly storage: Storage | null;
  readonly commandLine: readonly string[];
  readonly seed: number;
  readonly startedAt: Date;
  /** Of subjects that are not the kit's: the kit chose no OpenCode host for them. Absent where it did. */
  readonly ownHost?: HostIdentity;
  /** The user's own Worker that is the subject; null for the kit's. */
  readonly own?: OwnSources | null;
};

/** What a trace says of a Worker's code. */
export type BundleFacts = Pick<
  WorkerBundle,
  "role" | "name" | "sha256" | "compatibilityDate" | "compatibilityFlags"
>;

/** What can be told before anything is bundled. */
export type Checkout = Pick<
  Environment,
  "mode" | "packages" | "host" | "node" | "platform" | "lockfileSha256" | "commit" | "dirty"
>;

/** The agent CLIs that trials need. */
export function clisOf(specs: readonly TrialSpec[]): AgentCliName[] {
  return [...new Set(specs.flatMap(({ factors }) => subjectTraits(factors.subject).agentCli ?? []))];
}

/** `server`, `clis`: as of the environment. */
export async function describeCheckout(
  host: HostChoice,
  server: string | null,
  clis: readonly AgentCliName[] = [],
): Promise<Checkout> {
  return {
    mode: "local",
    packages: {
      ...packageVersions(),
      ...(server === null ? {} : { [SERVER_PACKAGE]: server }),
      ...Object.fromEntries(clis.map((cli) => [AGENT_CLIS[cli].name, AGENT_CLIS[cli].version])),
    },
    host: { kind: host.kind, name: host.name, version: host.version },
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    lockfileSha256: createHash("sha256")
      .update(await readFile(lockfile() ?? join(REPOSITORY, "package.json")))
      .digest("hex"),
    ...(await gitState()),
  };
}

export async function describeEnvironment(input: EnvironmentInput): Promise<Environment> {
  const bundles = [...input.bundles];
  const subject = bundles.find(({ role }) => role === "subject");
  if (subject === undefined) throw new Error("no subject bundle");
  return {
    ...(await describeCheckout(input.host, input.server ?? null, input.clis)),
    ...input.where,
    ...(input.storage === null ? {} : { storage: input.storage }),
    compatibilityDate: subject.compatibilityDate,
    compatibilityFlags: [...subject.compatibilityFlags],
    bundles: Object.fromEntries(bundles.map(({ name, sha256 }) => [name, sha256])),
    model: input.where?.model ?? { id: "scripted/main", settings: {} },
    commandLine: [...input.commandLine],
    seed: input.seed,
    startedAt: input.startedAt.toISOString(),
    ...(input.own == null ? {} : { own: input.own }),
    ...(input.ownHost === undefined ? {} : { host: input.ownHost }),
  };
}

/** What a set came to: versions and hashes of what lies in its folder, and of the bundle that was made of it. */
export function setUsed(set: ReadySet, bundle: WorkerBundle): SetUsed {
  const { server } = set;
  const { kind, name, version } =
    server === null ? set.host : ({ kind: "server", name: SERVER_PACKAGE, version: server.version } as const);
  return {
    name: set.name,
    packages: { ...set.packages, ...(server === null ? {} : { [SERVER_PACKAGE]: server.version }) },
    host: { kind, name, version },
    lockfileSha256: set.lockfileSha256,
    compatibilityDate: bundle.compatibilityDate,
    bundleSha256: bundle.sha256,
  };
}

/** The environment of a trial that ran on other than what is installed: everything in it speaks of its first set. */
export function underSets(
  environment: Environment,
  before: SetUsed,
  after: SetUsed,
  worker: string,
): Environment {
  const { [SERVER_PACKAGE]: server } = environment.packages;
  return {
    ...environment,
    packages: { ...(server === undefined ? {} : { [SERVER_PACKAGE]: server }), ...before.packages },
    host: before.host,
    lockfileSha256: before.lockfileSha256,
    compatibilityDate: before.compatibilityDate,
    bundles: { ...environment.bundles, [worker]: before.bundleSha256 },
    set: before,
    ...(after.name === before.name ? {} : { nextSet: after }),
  };
}

/** Commit of the checkout and whether it has uncommitted changes; nulls where there is no git or no commit, and of a package. */
export async function gitState(): Promise<{ commit: string | null; dirty: boolean | null }> {
  // It would be that of the user's project.
  if (IS_PACKAGE) return { commit: null, dirty: null };
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: REPOSITORY });
  try {
    const commit = (await git("rev-parse", "HEAD")).stdout.trim();
    const dirty = (await git("status", "--porcelain")).stdout.trim() !== "";
    return { commit, dirty };
  } catch {
    return { commit: null, dirty: null };
  }
}
