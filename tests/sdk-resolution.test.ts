/**
 * That the real names resolve: a copy of what the subject's bundle is made of, with packages of the real names in its
 * `node_modules`, bundled as a run bundles it.
 */
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { UserError } from "../scripts/base/user-error.ts";
import { getBundles } from "../scripts/local/workerd/get-bundles.ts";
import { chooseHost, type HostOption } from "../scripts/local/workerd/host-choice.ts";
import { HOST_IDENTITY } from "../src/host/stand-in/identity.ts";
import { FAKE_VERSION, placeFakeSdk } from "./support/fake-sdk.ts";

const SDK_MARKER = "the fake SDK was asked for a host";
const PLUGIN_MARKER = "defined by the fake plugin package";
/** Only the stand-in's own code says this. */
const STAND_IN_MARKER = "The stand-in speaks only OpenAI-compatible HTTP";

const FAKE = {
  sdk: `export const OpenCodeWorkerd = { create: async () => { throw new Error(${JSON.stringify(SDK_MARKER)}); } };`,
  plugin: `export const Plugin = { define: (plugin) => ({ ...plugin, note: ${JSON.stringify(PLUGIN_MARKER)} }) };`,
};

/** What the subject's bundle is made of. */
const SOURCES = [
  "src",
  "wrangler.jsonc",
  "package.json",
  "tsconfig.json",
  "tsconfig.base.json",
  "tsconfig.workers.json",
];

async function checkout(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  for (const name of SOURCES) await cp(join(REPOSITORY, name), join(root, name), { recursive: true });
  const modules = join(REPOSITORY, "node_modules");
  await mkdir(join(root, "node_modules"));
  for (const name of await readdir(modules))
    if (name !== "@opencode") await symlink(join(modules, name), join(root, "node_modules", name));
  return root;
}

describe("a checkout with packages of the real names", () => {
  let root: string;
  const scripts = new Map<HostOption, string>();

  beforeAll(async () => {
    root = await checkout();
    await placeFakeSdk(root, FAKE);
    for (const option of ["auto", "stand-in"] as const) {
      const host = chooseHost(option, root);
      const where = { workDir: join(root, option), cacheFolder: null, root };
      scripts.set(option, (await getBundles(["subject"], { host, ...where })).subject.script);
    }
  }, 120_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  it("uses them by default, and says which and why", () => {
    expect(chooseHost("auto", root)).toEqual({
      kind: "sdk",
      name: "@opencode/sdk",
      version: FAKE_VERSION,
      reason: "both packages are installed",
    });
  });

  it("bundles both packages and nothing of the stand-in", () => {
    const script = scripts.get("auto");
    expect(script).toContain(SDK_MARKER);
    expect(script).toContain(PLUGIN_MARKER);
    expect(script).not.toContain(STAND_IN_MARKER);
    expect(script).not.toContain(HOST_IDENTITY.name);
  });

  it("tells the bundle the version of the package, which cannot say it itself", () => {
    expect(scripts.get("auto")).toContain(FAKE_VERSION);
    expect(scripts.get("stand-in")).not.toContain(FAKE_VERSION);
  });

  it("bundles the stand-in and nothing of the packages when the stand-in is asked for", () => {
    const script = scripts.get("stand-in");
    expect(script).toContain(STAND_IN_MARKER);
    expect(script).toContain(HOST_IDENTITY.name);
    expect(script).not.toContain(SDK_MARKER);
    expect(script).not.toContain(PLUGIN_MARKER);
  });

  it("leaves the checkout's files as they were", async () => {
    const besides = ["auto", "stand-in", "node_modules", ".wrangler"];
    const left = (await readdir(root)).filter((name) => !besides.includes(name));
    expect(left.toSorted()).toEqual(SOURCES.toSorted());
  });
});

describe("a checkout without them", () => {
  it("refuses --host sdk in one sentence that says what to do", async () => {
    const root = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
    try {
      expect(() => chooseHost("sdk", root)).toThrow(UserError);
      expect(() => chooseHost("sdk", root)).toThrow(/^--host sdk: [^\n]+ not installed; [^\n]+$/);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
