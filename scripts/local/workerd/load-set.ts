/**
 * An SDK set made ready to run: what it names installed in a cache folder of its own, and what then lies there read back.
 * A set that names no package runs from the kit's own `node_modules` and needs no network.
 *
 * The folder has a copy of the sources, because a bundler takes packages from above the file that asks for them. The
 * copies are made anew each time; the packages are installed once, whole or not at all.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { SdkSet } from "../../../experiments/sdk-sets.ts";
import { failureOfNpm } from "../../base/install-package.ts";
import { IS_PACKAGE, lockfile, REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { chooseHost, type HostChoice, type HostOption, packageVersions } from "./host-choice.ts";

export type MiniflareModule = typeof import("miniflare");

export type LoadedSet = {
  readonly name: string;
  /** Where it is bundled from. */
  readonly root: string;
  readonly host: HostChoice;
  /** In place of that of the Workers' configurations; null keeps it. */
  readonly compatibilityDate: string | null;
  /** Version of what is installed, by package. */
  readonly packages: Readonly<Record<string, string>>;
  readonly lockfileSha256: string;
  readonly miniflare: MiniflareModule;
};

const SOURCES = [
  "src",
  "ledger-worker",
  "wrangler.jsonc",
  "tsconfig.json",
  "tsconfig.base.json",
  "tsconfig.workers.json",
];

/** The stand-in's entry with other tables, by layout. */
const LAYOUT_ENTRIES: Readonly<Record<NonNullable<SdkSet["hostLayout"]>, string | null>> = {
  "1": null,
  "2": "src/host/stand-in/workerd-layout-2.ts",
  old: "src/host/stand-in/workerd-layout-old.ts",
};

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  type: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

/** Where sets are installed. */
export function setsFolder(): string {
  return join(REPOSITORY, ".cache", "sets");
}

/** Whether the packages of the set can be loaded without a registry. */
export function needsNoRegistry(set: SdkSet): boolean {
  return needsNoInstall(set) || (!IS_PACKAGE && existsSync(folderOf(set)));
}

/** @throws UserError when a path or a version of the set does not exist, or the registry cannot be asked. */
export async function loadSet(
  set: SdkSet,
  option: HostOption,
  onProgress: (sentence: string) => void,
): Promise<LoadedSet> {
  if (IS_PACKAGE && !needsNoInstall(set))
    throw new UserError(
      `SDK set '${set.name}' names packages, and only a checkout of the kit can install them; a set of a compatibility date alone runs here`,
    );
  const root = needsNoInstall(set) ? REPOSITORY : folderOf(set);
  if (root !== REPOSITORY) {
    if (!existsSync(root)) await install(set, root, onProgress);
    for (const name of SOURCES) await cp(join(REPOSITORY, name), join(root, name), { recursive: true });
  }
  const noted = root === REPOSITORY ? lockfile() : join(root, "package-lock.json");
  return {
    name: set.name,
    root,
    host: hostOf(set, option, root),
    compatibilityDate: set.compatibilityDate ?? null,
    packages: packageVersions(root),
    lockfileSha256: createHash("sha256")
      .update(readFileSync(noted ?? join(root, "package.json")))
      .digest("hex"),
    miniflare: await miniflareOf(root),
  };
}

function needsNoInstall({ packages }: SdkSet): boolean {
  return Object.keys(packages).length === 0;
}

function hostOf({ hostLayout }: SdkSet, option: HostOption, root: string): HostChoice {
  if (hostLayout === undefined) return chooseHost(option, root);
  const plain = chooseHost("stand-in", root);
  const entry = LAYOUT_ENTRIES[hostLayout];
  const reason = `the set names layout ${hostLayout} of the stand-in's tables`;
  if (entry === null) return { ...plain, reason };
  return {
    ...plain,
    version: `${plain.version}+layout-${hostLayout}`,
    reason,
    aliases: { "@opencode/sdk/workerd": join(root, entry) },
  };
}

async function miniflareOf(root: string): Promise<MiniflareModule> {
  if (root === REPOSITORY) return await import("miniflare");
  const path = createRequire(join(root, "package.json")).resolve("miniflare");
  return (await import(pathToFileURL(path).href)) as MiniflareModule;
}

function folderOf(set: SdkSet): string {
  const lockfile = readFileSync(join(REPOSITORY, "package-lock.json"));
  const content = Object.entries(set.packages).map(([name, what]) => [name, what, contentOf(what)]);
  const hash = createHash("sha256").update(lockfile).update(JSON.stringify(content)).digest("hex");
  return join(setsFolder(), `${set.name.replaceAll(/[^a-z0-9.-]/gi, "_")}-${hash.slice(0, 8)}`);
}

/** Of a version nothing more than itself; of a path what lies there, so that a package built anew is installed anew. */
function contentOf(what: string): string {
  if (!isPath(what)) return "";
  const path = resolve(what);
  if (!existsSync(path)) throw new UserError(`there is no '${what}': give a version, a tarball or a folder`);
  if (statSync(path).isFile()) return createHash("sha256").update(readFileSync(path)).digest("hex");
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.split("/").includes("node_modules") && !name.startsWith(".git"))
    .sort();
  const stamps = files.map((name) => {
    const { size, mtimeMs } = statSync(join(path, name));
    return [name, size, mtimeMs];
  });
  return createHash("sha256").update(JSON.stringify(stamps)).digest("hex");
}

/** Versions and tags of the registry have none of these. */
export function isPath(what: string): boolean {
  return what.startsWith(".") || isAbsolute(what) || /\.(tgz|tar\.gz)$/.test(what);
}

async function install(set: SdkSet, root: string, onProgress: (sentence: string) => void): Promise<void> {
  const named = Object.entries(set.packages).map(([name, what]) => `${name}@${what}`);
  onProgress(`installing SDK set ${set.name} (${named.join(", ")}) into ${root}`);
  const temporary = join(setsFolder(), `.partial-${randomUUID()}`);
  try {
    await mkdir(temporary, { recursive: true });
    const kit = Manifest.parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")));
    const pick = (name: string) => [name, kit.devDependencies[name] ?? "*"] as const;
    const dependencies = {
      ...kit.dependencies,
      ...Object.fromEntries([pick("wrangler"), pick("miniflare")]),
      ...Object.fromEntries(
        Object.entries(set.packages).map(([name, what]) => [
          name,
          isPath(what) ? `file:${resolve(what)}` : what,
        ]),
      ),
    };
    const manifest = { name: kit.name, version: kit.version, private: true, type: kit.type, dependencies };
    await writeFile(join(temporary, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    // What the set does not name stays at the version that the kit has.
    await cp(join(REPOSITORY, "package-lock.json"), join(temporary, "package-lock.json"));
    const args = ["install", "--ignore-scripts", "--install-links", "--no-audit", "--no-fund"];
    const failure = await failureOfNpm(args, temporary);
    if (failure !== null)
      throw new UserError(
        `npm could not install SDK set ${set.name} (${named.join(", ")}): ${failure.trim().split("\n").slice(0, 4).join(" ")}`,
      );
    await rename(temporary, root);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another command may have installed the same meanwhile.
    if (!existsSync(root)) throw error;
  }
}
