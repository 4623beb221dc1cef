/** The plugin as one file of plain JavaScript, which needs no package beside it. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Where the server looks for it, from the project's folder. */
export const PLUGIN_PATH = ".opencode/plugin/recovery-kit.js";

export async function pluginText(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL("./server-plugin.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2024",
    write: false,
  });
  return result.outputFiles[0]?.text ?? "";
}
