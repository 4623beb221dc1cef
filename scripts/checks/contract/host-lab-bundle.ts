/** The Worker under test as one script, with the host under test behind the names that the real packages have. */
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { HostName } from "./bench-protocol.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** @throws when a package does not resolve. */
export async function bundleSubject(host: HostName, packages: string): Promise<string> {
  const result = await build({
    entryPoints: [here("./workers/contract-subject.ts")],
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    alias: {
      "#host": here(`./workers/host-${host}.ts`),
      ...(host === "sdk"
        ? {}
        : {
            "@opencode/sdk/workerd": here("../../../src/host/stand-in/workerd.ts"),
            "@opencode/plugin": here("../../../src/host/stand-in/define-plugin.ts"),
          }),
    },
    plugins: host === "sdk" ? [packagesFrom(packages)] : [],
    write: false,
    // The caller shows what failed; esbuild would print it as well.
    logLevel: "silent",
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return file.text;
}

/** Resolves the OpenCode packages from the given folder, wherever they are imported. */
function packagesFrom(folder: string): Plugin {
  return {
    name: "opencode-packages",
    setup({ onResolve, resolve }) {
      const own = { found: true };
      onResolve({ filter: /^@opencode\// }, ({ path, kind, pluginData }) =>
        pluginData === own ? undefined : resolve(path, { kind, resolveDir: folder, pluginData: own }),
      );
    },
  };
}
