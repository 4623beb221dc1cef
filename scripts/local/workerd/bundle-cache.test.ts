/** On a small checkout, with bundles as the bundler hands them over; that it makes such ones is tested in get-bundles.test.ts. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Of, WorkerBundle } from "./bundle.ts";
import { BundleCache, type BundleSource } from "./bundle-cache.ts";
import type { MadeBundle } from "./bundle-protocol.ts";
import { chooseHost } from "./host-choice.ts";

let root: string;
let cacheFolder: string;
let cache: BundleCache;
let source: BundleSource;
let made: MadeBundle;

const CONFIG = '{ "name": "small", "main": "src/index.ts", "compatibility_date": "2026-11-01" }';
const FILES = {
  "ledger-worker/wrangler.jsonc": CONFIG,
  "ledger-worker/src/index.ts": 'import { far } from "./far.ts";\n',
  "ledger-worker/src/far.ts": 'export const far = "far 1";\n',
  "package-lock.json": "{}",
};
const SCRIPT = 'export default "near\n far 1";\n';

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), text);
}

/** Keeps the bundle as one that is made from now on. A file's time may be a moment before that of the clock. */
const keep = () => cache.keep(source, made, Date.now() + 60_000);

async function entryPath(): Promise<string> {
  const [name = "", ...others] = await readdir(cacheFolder);
  expect(others).toEqual([]);
  return join(cacheFolder, name);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  cacheFolder = join(root, "cache");
  cache = new BundleCache(cacheFolder);
  for (const [name, text] of Object.entries(FILES)) await put(name, text);
  source = { role: "ledger", host: chooseHost("stand-in"), root, compatibilityDate: null };
  made = {
    bundle: WorkerBundle.parse({
      role: "ledger",
      name: "small",
      script: SCRIPT,
      sha256: sha256Of(SCRIPT),
      compatibilityDate: "2026-11-01",
      compatibilityFlags: [],
      options: { bindings: { WORD: "one" } },
    }),
    inputs: ["index.ts", "far.ts"].map((name) => join(root, "ledger-worker/src", name)),
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("a bundle that was kept", () => {
  it("is found as it was, by exactly its sources", () => {
    expect(cache.find(source)).toBeNull();
    keep();
    expect(cache.find(source)).toEqual(made.bundle);
    expect(new BundleCache(cacheFolder).find(source)).toEqual(made.bundle);
    for (const other of [
      { role: "controller" },
      { compatibilityDate: "2026-11-02" },
      { host: { ...source.host, version: "other" } },
    ] as const)
      expect(cache.find({ ...source, ...other })).toBeNull();
  });

  it.each(["index.ts", "far.ts"])(
    "is none any more after one byte of %s changed, which went in",
    async (name) => {
      keep();
      const path = `ledger-worker/src/${name}`;
      const text = await readFile(join(root, path), "utf8");
      await put(path, text.replace("far", "fir"));
      expect(cache.find(source)).toBeNull();
      // What counts is what is in it, not when it was written.
      await put(path, text);
      expect(cache.find(source)).toEqual(made.bundle);
      await rm(join(root, path));
      expect(cache.find(source)).toBeNull();
    },
  );

  it.each([
    ["the configuration", "ledger-worker/wrangler.jsonc", CONFIG.replace("-11-01", "-11-02")],
    ["the packages", "package-lock.json", '{ "lockfileVersion": 3 }'],
    ["npm's record of them", "node_modules/.package-lock.json", "{}"],
    ["a setting at the root", "tsconfig.json", '{ "compilerOptions": {} }'],
    ["a setting beside a file that went in", "ledger-worker/src/tsconfig.json", "{}"],
    ["a variable", "ledger-worker/.dev.vars", "WORD=one\n"],
  ])("is none any more after %s changed", async (_, name, text) => {
    keep();
    await put(name, text);
    expect(cache.find(source)).toBeNull();
    keep();
    expect(cache.find(source)).toEqual(made.bundle);
  });

  it.each<[string, (text: string) => string]>([
    ["in the script", (text) => text.replace("far 1", "far 7")],
    ["in what is said of it", (text) => text.replace('"name":"small"', '"name":"smell"')],
    ["at its end", (text) => text.slice(0, -10)],
    ["as a whole", () => ""],
  ])("is none any more when it is damaged %s, and is replaced", async (_, damage) => {
    keep();
    const path = await entryPath();
    const text = await readFile(path, "utf8");
    expect(damage(text)).not.toBe(text);
    await writeFile(path, damage(text));
    expect(cache.find(source)).toBeNull();
    keep();
    expect(await readFile(path, "utf8")).toBe(text);
    expect(cache.find(source)).toEqual(made.bundle);
  });
});

describe("a bundle", () => {
  it("is not kept where a file went in that changed since the bundler began", () => {
    // All files here were written after that moment.
    cache.keep(source, made, 0);
    expect(existsSync(cacheFolder)).toBe(false);
  });

  it("is not kept where nothing can be written, which is no error", async () => {
    // A file where the folder would be: not even root can write into it.
    await writeFile(cacheFolder, "");
    keep();
    expect(cache.find(source)).toBeNull();
    expect(await readFile(cacheFolder, "utf8")).toBe("");
  });

  it("is not kept where an alias leads out of the sources", async () => {
    for (const [file, kept] of [
      [join(root, "src/host.ts"), true],
      [join(root, "elsewhere/host.ts"), false],
    ] as const) {
      source = { ...source, host: { ...source.host, aliases: { "@opencode/sdk": file } } };
      keep();
      expect(cache.find(source)).toEqual(kept ? made.bundle : null);
    }
    await entryPath();
  });

  it("replaces entries that nobody used, and none in use", async () => {
    keep();
    const used = await entryPath();
    const old = Array.from({ length: 30 }, (_, index) => join(cacheFolder, `ledger-old-${index}`));
    for (const path of old) await writeFile(path, "");
    await rm(used);
    keep();
    const left = await readdir(cacheFolder);
    expect(left).toHaveLength(24);
    expect(left).toContain(used.slice(cacheFolder.length + 1));
  });
});
