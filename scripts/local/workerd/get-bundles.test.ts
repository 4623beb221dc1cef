/** With the real bundler, on a small checkout of one Worker. How long a kept bundle holds is tested in bundle-cache.test.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../../base/repository.ts";
import type { WorkerBundle } from "./bundle.ts";
import { bundleCacheFolder, getBundles } from "./get-bundles.ts";
import { chooseHost } from "./host-choice.ts";

let root: string;
let cacheFolder: string;
/** Whether the bundler was started for the last bundle. */
let bundled: boolean;

const FILES = {
  "ledger-worker/wrangler.jsonc":
    '{ "name": "small", "main": "src/index.ts", "compatibility_date": "2026-11-01" }',
  "ledger-worker/src/index.ts":
    'import { near } from "./near.ts";\nexport default { fetch: () => new Response(near) };\n',
  "ledger-worker/src/near.ts": 'import { far } from "./far.ts";\nexport const near = "near " + far;\n',
  "ledger-worker/src/far.ts": 'export const far = "far 1";\n',
  "package-lock.json": "{}",
};

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), text);
}

async function get(signal?: AbortSignal): Promise<WorkerBundle> {
  bundled = false;
  const { ledger } = await getBundles(["ledger"], {
    host: chooseHost("stand-in"),
    workDir: join(root, "work"),
    cacheFolder,
    root,
    onBundling: () => {
      bundled = true;
    },
    signal,
  });
  return ledger;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  cacheFolder = join(root, "cache");
  for (const [name, text] of Object.entries(FILES)) await put(name, text);
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("the bundle of a Worker", () => {
  it("is made once, found again as it was, and made anew after what went in changed", async () => {
    const made = await get();
    expect(bundled).toBe(true);
    expect(made).toMatchObject({ role: "ledger", name: "small", compatibilityDate: "2026-11-01" });
    expect(made.script).toContain("far 1");
    expect(await get()).toEqual(JSON.parse(JSON.stringify(made)));
    expect(bundled).toBe(false);
    // What the bundler wrote is gone.
    expect((await readdir(root)).toSorted()).toEqual(["cache", "ledger-worker", "package-lock.json"]);

    // One byte of a file that another one imports.
    await put("ledger-worker/src/far.ts", 'export const far = "far 2";\n');
    const second = await get();
    expect(bundled).toBe(true);
    expect(second.script).toBe(made.script.replace("far 1", "far 2"));
    expect(second.sha256).not.toBe(made.sha256);

    await put(
      "ledger-worker/wrangler.jsonc",
      FILES["ledger-worker/wrangler.jsonc"].replace("-11-01", "-11-02"),
    );
    await put("ledger-worker/.dev.vars", "WORD=one\n");
    const third = await get();
    expect(bundled).toBe(true);
    const changed = { compatibilityDate: "2026-11-02", options: { bindings: { WORD: expect.anything() } } };
    expect(third).toMatchObject(changed);
    expect(await get()).toEqual(third);
    expect(bundled).toBe(false);
  }, 120_000);

  it("is made where nothing can be kept", async () => {
    // A file where the folder would be: not even root can write into it.
    await writeFile(cacheFolder, "");
    expect((await get()).script).toContain("far 1");
    expect(bundled).toBe(true);
  }, 60_000);

  it("is not kept when a file changed while it was bundled", async () => {
    const bundling = get();
    await put("ledger-worker/src/far.ts", 'export const far = "far 3";\n');
    await bundling;
    expect(existsSync(cacheFolder)).toBe(false);
  }, 60_000);

  it("fails with the bundler's own words", async () => {
    await put("ledger-worker/src/far.ts", "export const far = ;\n");
    await expect(get()).rejects.toThrow(/^bundling the ledger Worker failed:\n[\s\S]*Unexpected ";"/);
  }, 60_000);
});

describe("a bundler that is not needed any more", () => {
  it("is ended by the signal, and leaves nothing", async () => {
    const stop = new AbortController();
    const bundling = get(stop.signal);
    await expect.poll(() => bundlersOf(root), { timeout: 20_000 }).toHaveLength(1);
    stop.abort(new Error("stopped by the test"));
    await expect(bundling).rejects.toThrow("stopped by the test");
    await expect.poll(() => bundlersOf(root), { timeout: 10_000 }).toEqual([]);
    expect(existsSync(join(root, "work"))).toBe(false);
  }, 60_000);

  it("is killed by it where it does not heed it", async () => {
    const stop = new AbortController();
    const bundling = get(stop.signal);
    await expect.poll(() => bundlersOf(root), { timeout: 20_000 }).toHaveLength(1);
    const [bundler = 0] = await bundlersOf(root);
    // Stopped, neither of both acts on a SIGTERM.
    for (const pid of [await parentOf(bundler), bundler]) process.kill(pid, "SIGSTOP");
    stop.abort(new Error("stopped by the test"));
    await expect(bundling).rejects.toThrow("stopped by the test");
    await expect.poll(() => bundlersOf(root), { timeout: 10_000 }).toEqual([]);
    expect(existsSync(join(root, "work"))).toBe(false);
  }, 60_000);

  it("ends with a parent that is killed", async () => {
    const program = `
      import { getBundles } from ${JSON.stringify(join(REPOSITORY, "scripts/local/workerd/get-bundles.ts"))};
      const host = { kind: "stand-in", name: "none", version: "0", reason: "none" };
      const [root] = process.argv.slice(-1);
      await getBundles(["ledger"], { host, workDir: root + "/work", cacheFolder: null, root });`;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", program, root]);
    const ended = once(parent, "exit");
    await expect.poll(() => bundlersOf(root), { timeout: 20_000 }).toHaveLength(1);
    parent.kill("SIGKILL");
    expect(await ended).toEqual([null, "SIGKILL"]);
    await expect.poll(() => bundlersOf(root), { timeout: 10_000 }).toEqual([]);
  }, 60_000);
});

describe("the folder for bundles", () => {
  it("lies where the user's machine keeps such things", () => {
    const name = join("opencode-do-recovery-kit", "bundles");
    expect(bundleCacheFolder({ XDG_CACHE_HOME: "/somewhere" })).toBe(join("/somewhere", name));
    expect(bundleCacheFolder({}).endsWith(join(".cache", name))).toBe(true);
    // The specification of these variables has relative ones ignored.
    expect(bundleCacheFolder({ XDG_CACHE_HOME: "here" })).toBe(bundleCacheFolder({}));
  });
});

/** Ids of the wrangler processes that bundle below the folder. */
async function bundlersOf(folder: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return line.includes("--dry-run") && line.includes(folder) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

async function parentOf(pid: number): Promise<number> {
  // The command, in parentheses, may hold spaces; the parent is the second field after it.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.split(") ").at(-1)?.split(" ")[1]);
}
