/** `init` begins a user's configuration from her own wrangler file, and replaces nothing of hers. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { kit } from "./support/in-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-init-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const wrangler = (names: readonly string[]) => `{
  // a comment, and a comma too many
  "main": "index.ts", "compatibility_date": "2026-11-01", "compatibility_flags": ["nodejs_compat"],
  "durable_objects": { "bindings": ${JSON.stringify(names.map((name) => ({ name, class_name: "Hers" })))} },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Hers"] }],
}`;

it.each(["wrangler.jsonc", "wrangler.json"])(
  "writes what 'run' plans as it stands, from %s",
  async (file) => {
    await writeFile(join(folder, "index.ts"), "export class Hers {}\n");
    await writeFile(join(folder, file), wrangler(["AGENT", "OTHER"]));
    expect((await kit("init", folder)).code).toBe(0);
    const written = join(folder, "recovery.config.ts");
    expect(await readFile(written, "utf8")).toContain('binding: "AGENT" }, // or: OTHER');
    expect((await readdir(folder)).sort()).toEqual([
      "index.ts",
      "recovery.config.ts",
      "recovery.experiment.ts",
      file,
    ]);
    const { code, stdout, stderr } = await kit("run", written, "--dry-run");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("own/after-commit/abort/append/reissue");
  },
);

it("writes an example of an experiment that 'run' plans as it stands", async () => {
  await writeFile(join(folder, "wrangler.jsonc"), wrangler(["AGENT"]));
  await kit("init", folder);
  const { code, stdout } = await kit("run", join(folder, "recovery.experiment.ts"), "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toContain("ai-sdk/after-commit/kill/unique/reissue");
});

it.each(["recovery.config.ts", "recovery.experiment.ts"])(
  "writes nothing where %s is there",
  async (name) => {
    await writeFile(join(folder, "wrangler.jsonc"), wrangler(["AGENT"]));
    await writeFile(join(folder, name), "mine");
    expect((await kit("init", folder)).code).toBe(2);
    expect((await readdir(folder)).sort()).toEqual([name, "wrangler.jsonc"]);
  },
);

it("leaves a configuration that is there as it is, and says so", async () => {
  await writeFile(join(folder, "wrangler.jsonc"), wrangler(["AGENT"]));
  await writeFile(join(folder, "recovery.config.ts"), "mine");
  const { code, stderr } = await kit("init", folder);
  expect(code).toBe(2);
  expect(stderr).toContain("is there already, and stays as it is");
  expect(await readFile(join(folder, "recovery.config.ts"), "utf8")).toBe("mine");
});

it.each([
  ["there is no wrangler file", null, "there is no wrangler.jsonc in"],
  ["no Durable Object is bound", wrangler([]), "it binds no Durable Object"],
])("is one sentence where %s", async (_, text, sentence) => {
  if (text !== null) await writeFile(join(folder, "wrangler.jsonc"), text);
  const { code, stderr } = await kit("init", folder);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
