/**
 * Packages with the names and the export shape of the two OpenCode packages, put into a `node_modules` of one's own:
 * whatever resolves them there would resolve the real ones.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const FAKE_VERSION = "2.0.24-fake";

type FakeSdk = {
  /** Source of what `@opencode/sdk/workerd` exports. */
  readonly sdk: string;
  /** Source of what `@opencode/plugin` exports. */
  readonly plugin: string;
};

export async function placeFakeSdk(folder: string, { sdk, plugin }: FakeSdk): Promise<void> {
  await place(folder, "@opencode/sdk", "./workerd", "workerd.js", sdk);
  await place(folder, "@opencode/plugin", ".", "index.js", plugin);
}

async function place(folder: string, name: string, entry: string, file: string, source: string) {
  const target = join(folder, "node_modules", name);
  await mkdir(target, { recursive: true });
  const manifest = { name, version: FAKE_VERSION, type: "module", exports: { [entry]: `./${file}` } };
  await writeFile(join(target, "package.json"), JSON.stringify(manifest));
  await writeFile(join(target, file), source);
}
