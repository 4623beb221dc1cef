/** What `npm run build` makes: JavaScript that stands by itself and runs where no TypeScript does. */
import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KIT_WORK } from "../scripts/base/kit-work.ts";
import { REPOSITORY } from "../scripts/base/repository.ts";

const run = promisify(execFile);

let out: string;
beforeAll(async () => {
  // Within the checkout, whose packages it finds as an installed one finds the user's.
  out = await mkdtemp(join(REPOSITORY, ".package-"));
  await run(process.execPath, [join(REPOSITORY, "scripts/package/build-package.ts"), "--out", out]);
});
afterAll(() => rm(out, { recursive: true, force: true }));

const kit = (...args: string[]) =>
  run(process.execPath, [join(out, "scripts/recovery-kit.mjs"), ...args], { cwd: out });

describe("the package", () => {
  it("names everything that its files import, and has it", async () => {
    const entryPoints = globSync(["**/*.js", "**/*.mjs"], { cwd: out }).map((path) => join(out, path));
    expect(entryPoints.length).toBeGreaterThan(400);
    const { metafile } = await build({
      entryPoints,
      bundle: true,
      packages: "external",
      // The commands that it has not, under the names that they have in the checkout.
      external: ["cloudflare:*", ...KIT_WORK.map((name) => `*/${name}-command.ts`)],
      format: "esm",
      platform: "node",
      loader: { ".css": "text" },
      metafile: true,
      write: false,
      outdir: "out",
      logLevel: "silent",
    });
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(out, "package.json"), "utf8"));
    const named = Object.keys({ ...dependencies, ...peerDependencies });
    const imported = Object.values(metafile.inputs)
      .flatMap(({ imports }) => imports.filter(({ external }) => external === true).map(({ path }) => path))
      .filter((path) => /^@?[\w-]/.test(path) && !path.includes(":") && !path.startsWith("@opencode/"))
      .map((path) =>
        path
          .split("/")
          .slice(0, path.startsWith("@") ? 2 : 1)
          .join("/"),
      );
    const builtin = ["fs", "path", "os", "module", "crypto", "util", "v8"];
    expect([...new Set(imported)].filter((name) => !named.includes(name) && !builtin.includes(name))).toEqual(
      [],
    );
  });

  it("has the files that its exports name, with types", async () => {
    const { exports, bin } = JSON.parse(await readFile(join(out, "package.json"), "utf8"));
    const files = Object.values(exports as Record<string, Record<string, string>>).flatMap(Object.values);
    for (const file of [...files, ...Object.values(bin as Record<string, string>)])
      expect([file, existsSync(join(out, file))]).toEqual([file, true]);
    const types = globSync("types/**/*.d.ts", { cwd: out });
    for (const file of types)
      expect(await readFile(join(out, file), "utf8")).not.toMatch(/from "\.[^"]*\.ts"/);
  });

  it("runs, speaks of itself by its own name, and has no command that needs the checkout", async () => {
    const { stdout: help } = await kit("--help");
    expect(help).toContain("init [folder]");
    expect(help).not.toMatch(/mutants|golden/);
    const { stdout: list } = await kit("list", "controls");
    expect(list).toContain("npx recovery-kit run controls");
    expect(list).not.toContain("npm run");
  });

  it("runs an experiment that imports the package by its name", async () => {
    const { stdout } = await kit(
      "run",
      join(REPOSITORY, "examples/agent-scheduled-call/recovery.config.ts"),
      "--dry-run",
    );
    expect(stdout).toContain("own/after-commit/kill/append/reissue");
  });
});
